package main

import "github.com/spf13/cobra"

func newSearchCmd(e *env) *cobra.Command { return &cobra.Command{} }
