package rpc

import "sync"

// schedule runs calls with bounded concurrency. Calls above the limit wait in a queue with limits of count and bytes.
// Paused calls resume before waiting calls start.
type schedule struct {
	start func(*Call) // runs a call on its own goroutine

	mu       sync.Mutex
	free     int // free slots
	resuming []chan struct{}
	queue    []*Call
	bytes    int // of the queue's parameters
	maxQueue int
	maxBytes int
}

// submit starts the call, or queues it, or reports that there is no room.
func (s *schedule) submit(call *Call) bool {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		s.start(call)
		return true
	}
	defer s.mu.Unlock()
	if len(s.queue) >= s.maxQueue || s.bytes+len(call.Params) > s.maxBytes {
		return false
	}
	s.queue = append(s.queue, call)
	s.bytes += len(call.Params)
	return true
}

// release passes a slot to the call that has waited longest.
func (s *schedule) release() {
	if next := s.pass(); next != nil {
		s.start(next)
	}
}

// pass hands the slot on. It returns the queued call that has it now; a paused
// call is woken instead.
func (s *schedule) pass() *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.resuming) > 0 {
		close(s.resuming[0])
		s.resuming = s.resuming[1:]
		return nil
	}
	if len(s.queue) == 0 {
		s.queue = nil
		s.free++
		return nil
	}
	next := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.bytes -= len(next.Params)
	return next
}

// acquire waits for a slot.
func (s *schedule) acquire() {
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	s.resuming = append(s.resuming, turn)
	s.mu.Unlock()
	<-turn
}
