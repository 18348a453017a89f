package driver

import (
	"time"

	"github.com/dougu-go/dougu/bench/probe"
)

// Held is the cost of many open and idle sessions, streams or connections at a server.
type Held struct {
	Hold   string `json:"hold"`
	Server string `json:"server"`
	Count  int    `json:"count"`

	Before Usage `json:"before"` // with a hundredth of Count open
	Full   int64 `json:"fullRssBytes"`
	During Usage `json:"during"` // with Count more open
	After  Usage `json:"after"`  // after all were closed

	// Answer is the longest response time of a call by another client while all were open.
	Answer time.Duration `json:"answerNs"`
	// Refused is the number that the server had closed.
	Refused int `json:"refused"`
}

// Usage is the memory of a server after a garbage collection. (Held.Full is the total memory before the collection.)
type Usage struct {
	probe.Stats
	RSS int64 `json:"rssBytes"` // without the program file, of which more is resident the more code has run
}

// Each returns the additional memory for each held item, in bytes.
func (h *Held) Each() int64 { return (h.During.RSS - h.Before.RSS) / int64(h.Count) }

// Live returns the part of Each that are objects and stacks, in bytes.
func (h *Held) Live() int64 {
	return (h.During.Heap + h.During.Stack - h.Before.Heap - h.Before.Stack) / int64(h.Count)
}

// Goroutines returns the number of goroutines for each held item.
func (h *Held) Goroutines() float64 {
	return float64(h.During.Goroutines-h.Before.Goroutines) / float64(h.Count)
}

// Left returns the number of goroutines that remained after all was closed.
func (h *Held) Left() int { return max(0, h.After.Goroutines-h.Before.Goroutines) }

// Holding returns the measurement of a hold at a server, or nil.
func (r *Report) Holding(hold, server string) *Held {
	for _, h := range r.Held {
		if h.Hold == hold && h.Server == server {
			return h
		}
	}
	return nil
}
