package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

type thought struct {
	Index   int       `json:"index"` // from 1
	Content string    `json:"content"`
	Created time.Time `json:"created"`
	Revised bool      `json:"revised"`
}

// thinking is a session.
type thinking struct {
	ID             string    `json:"id"`
	Problem        string    `json:"problem"`
	Thoughts       []thought `json:"thoughts"`
	CurrentThought int       `json:"currentThought"`
	EstimatedTotal int       `json:"estimatedTotal"`
	Status         string    `json:"status"` // "active" or "completed"
	Created        time.Time `json:"created"`
	LastActivity   time.Time `json:"lastActivity"`
	Branches       []string  `json:"branches,omitempty"`
}

// sessions are all sessions by their ID.
type sessions struct {
	mu  sync.Mutex
	all map[string]*thinking
}

type startArgs struct {
	Problem        string `json:"problem"`
	SessionID      string `json:"sessionId,omitempty"`
	EstimatedSteps int    `json:"estimatedSteps,omitempty" jsonschema:"default=5"`
}

type continueArgs struct {
	SessionID      string `json:"sessionId"`
	Thought        string `json:"thought"`
	NextNeeded     bool   `json:"nextNeeded,omitempty" jsonschema:"default=true"`
	ReviseStep     *int   `json:"reviseStep,omitempty"`
	CreateBranch   bool   `json:"createBranch,omitempty"`
	EstimatedTotal int    `json:"estimatedTotal,omitempty"`
}

type reviewArgs struct {
	SessionID string `json:"sessionId"`
}

func (s *sessions) start(_ context.Context, in startArgs) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.SessionID == "" {
		in.SessionID = rand.Text()
	}
	s.all[in.SessionID] = newThinking(in.SessionID, in.Problem, in.EstimatedSteps)
	return fmt.Sprintf("Started thinking session '%s' for problem: %s\nEstimated steps: %d\nReady for your first thought.", in.SessionID, in.Problem, in.EstimatedSteps), nil
}

func newThinking(id, problem string, steps int) *thinking {
	return &thinking{ID: id, Problem: problem, EstimatedTotal: steps, Status: "active", Created: time.Now(), LastActivity: time.Now()}
}

// find returns a session. The caller holds mu.
func (s *sessions) find(id string) (*thinking, error) {
	if t := s.all[id]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("session %s not found", id)
}

func (s *sessions) next(_ context.Context, in continueArgs) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(in.SessionID)
	if err != nil {
		return "", err
	}
	t.LastActivity = time.Now()
	switch {
	case in.ReviseStep != nil:
		if *in.ReviseStep < 1 || *in.ReviseStep > len(t.Thoughts) {
			return "", fmt.Errorf("invalid step number: %d", *in.ReviseStep)
		}
		step := &t.Thoughts[*in.ReviseStep-1]
		step.Content, step.Revised = in.Thought, true
		return fmt.Sprintf("Revised step %d in session '%s':\n%s", *in.ReviseStep, in.SessionID, in.Thought), nil
	case in.CreateBranch:
		branch := newThinking(fmt.Sprintf("%s_branch_%d", t.ID, len(t.Branches)+1), t.Problem+" (Alternative branch)", t.EstimatedTotal)
		branch.Thoughts, branch.CurrentThought = slices.Clone(t.Thoughts), len(t.Thoughts)
		t.Branches = append(t.Branches, branch.ID)
		s.all[branch.ID] = branch
		return fmt.Sprintf("Created branch '%s' from session '%s'. You can now continue thinking in either session.", branch.ID, t.ID), nil
	}
	t.CurrentThought = len(t.Thoughts) + 1
	t.Thoughts = append(t.Thoughts, thought{Index: t.CurrentThought, Content: in.Thought, Created: time.Now()})
	if in.EstimatedTotal > 0 {
		t.EstimatedTotal = in.EstimatedTotal
	}
	status := "\nReady for next thought..."
	if !in.NextNeeded {
		t.Status = "completed"
	}
	if t.Status == "completed" {
		status = "\n✓ Thinking process completed!"
	}
	progress := fmt.Sprintf("Step %d", t.CurrentThought)
	if t.EstimatedTotal > 0 {
		progress += fmt.Sprintf(" of ~%d", t.EstimatedTotal)
	}
	return fmt.Sprintf("Session '%s' - %s:\n%s%s", t.ID, progress, in.Thought, status), nil
}

func (s *sessions) review(_ context.Context, in reviewArgs) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(in.SessionID)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "=== Thinking Review: %s ===\nProblem: %s\nStatus: %s\nSteps: %d of ~%d\n", t.ID, t.Problem, t.Status, len(t.Thoughts), t.EstimatedTotal)
	if len(t.Branches) > 0 {
		fmt.Fprintf(&text, "Branches: %s\n", strings.Join(t.Branches, ", "))
	}
	text.WriteString("\n--- Thought Sequence ---\n")
	for _, step := range t.Thoughts {
		revised := ""
		if step.Revised {
			revised = " (revised)"
		}
		fmt.Fprintf(&text, "%d. %s%s\n", step.Index, step.Content, revised)
	}
	return text.String(), nil
}

// history reads all sessions, or the one that the URI names.
func (s *sessions) history(_ context.Context, uri string) ([]mcp.ResourceContents, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var content any = slices.Collect(maps.Values(s.all))
	if id := strings.TrimPrefix(uri, "thinking://"); id != "sessions" {
		t, err := s.find(id)
		if err != nil {
			return nil, mcp.ResourceNotFound(uri)
		}
		content = t
	}
	text, err := json.MarshalIndent(content, "", "  ")
	return []mcp.ResourceContents{{MIMEType: "application/json", Text: string(text)}}, err
}
