package sandbox

import "sync"

// spare keeps one box ready, so that a command does not wait for two starts of this
// program. A box serves one command and is never used again.
type spare struct {
	mu     sync.Mutex
	box    *box
	shut   bool
	making sync.WaitGroup
	used   int // commands that found one
}

// take gives the box that is ready, nil when there is none that fits.
func (s *spare) take(namespaces bool) *box {
	s.mu.Lock()
	b := s.box
	s.box = nil
	fits := b != nil && b.namespaces == namespaces && b.fresh()
	if fits {
		s.used++
	}
	s.mu.Unlock()
	if b != nil && !fits {
		b.close()
		return nil
	}
	return b
}

// refill makes the next box while nobody waits. One that can't be made is no
// trouble: the next command makes its own and tells what is wrong.
func (s *spare) refill(make func() (*box, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut || s.box != nil {
		return
	}
	s.making.Go(func() {
		b, err := make()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.shut || s.box != nil {
			s.mu.Unlock()
			b.close()
			return
		}
		s.box = b
		s.mu.Unlock()
	})
}

// close ends what is ready.
func (s *spare) close() {
	s.mu.Lock()
	s.shut = true
	s.mu.Unlock()
	s.making.Wait()
	if b := s.box; b != nil {
		s.box = nil
		b.close()
	}
}
