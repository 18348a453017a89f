package main

import (
	"crypto/rand"
	"net/http"
	"sync"
)

// sessions responds to requests of legacy revisions: a header contains the id of a session that initialize opened.
type sessions struct {
	listed []tool

	mu    sync.RWMutex
	known map[string]struct{}
}

const sessionHeader = "Mcp-Session-Id"

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := read(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if req.Method == "initialize" {
		w.Header().Set(sessionHeader, s.open())
	} else if !s.has(r.Header.Get(sessionHeader)) {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	reply := answer(req, s.listed)
	if reply == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	write(w, reply)
}

func (s *sessions) open() string {
	id := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[id] = struct{}{}
	return id
}

func (s *sessions) has(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.known[id]
	return ok
}
