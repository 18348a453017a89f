package driver

import (
	"time"

	"github.com/dougu-go/dougu/bench/probe"
)

// Held is what it costs a server that clients keep many things open and do
// nothing with them.
type Held struct {
	Hold   string `json:"hold"`
	Server string `json:"server"`
	Count  int    `json:"count"`

	Before Usage `json:"before"` // with a hundredth of Count open
	Full   int64 `json:"fullRssBytes"`
	During Usage `json:"during"` // with Count open beside those
	After  Usage `json:"after"`  // when the clients have closed them again

	// Answer is the longest that another client had to wait for the answer to a
	// call while all were open.
	Answer time.Duration `json:"answerNs"`
	// Refused is how many the server had closed by then.
	Refused int `json:"refused"`
}

// Usage is what a server uses when its garbage has been collected. (Held.Full is
// what it has of memory just before, garbage, program and all.)
type Usage struct {
	probe.Stats
	RSS int64 `json:"rssBytes"` // without the program itself, of which more is resident the more of it has run
}

// Each returns how much more memory the server has for each of what is held.
func (h *Held) Each() int64 { return (h.During.RSS - h.Before.RSS) / int64(h.Count) }

// Live returns how many bytes of it are objects and stacks.
func (h *Held) Live() int64 {
	return (h.During.Heap + h.During.Stack - h.Before.Heap - h.Before.Stack) / int64(h.Count)
}

// Goroutines returns how many goroutines the server has for each.
func (h *Held) Goroutines() float64 {
	return float64(h.During.Goroutines-h.Before.Goroutines) / float64(h.Count)
}

// Left returns how many goroutines the server did not end when all was closed.
func (h *Held) Left() int { return max(0, h.After.Goroutines-h.Before.Goroutines) }

// Holding returns what a run found out of a hold at a server, or nil.
func (r *Report) Holding(hold, server string) *Held {
	for _, h := range r.Held {
		if h.Hold == hold && h.Server == server {
			return h
		}
	}
	return nil
}
