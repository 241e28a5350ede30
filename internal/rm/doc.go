// Package rm talks to a ResourceManager: it downloads configuration, nodes and history
// into a folder, applies settings and rolls them back, and monitors drift of
// configuration, machines and load. It changes nothing unless asked to, and never writes
// credentials.
package rm
