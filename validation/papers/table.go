package papers

import "schedtune/datasets"

// published loads a paper's table and takes title and source from it.
func published(s *Section, paper, id string) (*datasets.Table, error) {
	t, err := datasets.Published(paper, id)
	if err != nil {
		return nil, err
	}
	s.Title, s.Source = t.Title, t.Source
	if t.Note != "" {
		s.Notes = append(s.Notes, "In the source: "+t.Note+".")
	}
	return t, nil
}
