package grep

import (
	"encoding/binary"
	"slices"
)

// A state of a cache is the number of its front times the width of the table, so that adding the class of a byte gives
// the place of the next state. What has the upper bit is no state but says what to do.
const (
	special      uint32 = 1 << 31
	stateUnknown        = special     // not computed yet
	stateMatched        = special + 1 // a match has ended
	stateInvalid        = special + 2 // the byte is not UTF-8
	stateTired          = special + 3 // there are too many states; only answered by cache.next
)

// Limits of a cache.
const (
	maxCache    = 4 << 20 // bytes, about
	minPerState = 20      // bytes of text that a state must have been good for when the cache is full
	tiredFor    = 1 << 20 // bytes of text before a cache that was filled in vain is tried again
)

// cache is a deterministic automaton for a machine, made as far as texts need it: each state stands for a front. When
// it is full it begins anew. It is used by one goroutine at a time.
type cache struct {
	walker
	width uint32
	table []uint32 // by state and class
	start uint32   // the state at the beginning of a line, or of the text

	fronts []front           // by state / width
	states map[string]uint32 // by the key of the front
	size   int               // of all that grows with the states, in bytes
	key    []byte
	next   []int32

	live  [lanes]uint32 // states that are in use, and stay valid when the cache is emptied
	used  int           // bytes read since the cache was empty
	tired int           // bytes that are still to be read without the cache
	rests int           // how often it got tired

	hits  [lanes][]int // what scan found
	clean []byte       // memory of mended

	wide func() *unicodeMatcher // for lines beyond ASCII, if the machine reads ASCII only
}

func newCache(m *machine) *cache {
	c := &cache{walker: newWalker(m), width: uint32(len(m.alphabet.first))}
	c.reset()
	c.live = [lanes]uint32{c.start, c.start, c.start, c.start}
	return c
}

// reset forgets all states but that of the beginning.
func (c *cache) reset() {
	c.table, c.fronts, c.size, c.used = c.table[:0], c.fronts[:0], 0, 0
	c.states = make(map[string]uint32)
	f, v := c.begin(c.next[:0])
	c.start = c.settled(f, v)
}

// rest empties the cache and leaves it alone for a while. The states in c.live are lost.
func (c *cache) rest() {
	c.tired = tiredFor
	c.rests++
	c.reset()
	c.live = [lanes]uint32{c.start, c.start, c.start, c.start}
}

// settled answers the state of a front, or what to do instead.
func (c *cache) settled(f front, v verdict) uint32 {
	switch v {
	case matched:
		return stateMatched
	case invalid:
		return stateInvalid
	}
	slices.Sort(f.nodes)
	c.key = append(c.key[:0], byte(f.before))
	for _, id := range f.nodes {
		c.key = binary.AppendUvarint(c.key, uint64(id))
	}
	if state, ok := c.states[string(c.key)]; ok {
		return state
	}
	state := uint32(len(c.table))
	c.states[string(c.key)] = state
	f.nodes = append([]int32(nil), f.nodes...)
	c.fronts = append(c.fronts, f)
	for range c.width {
		c.table = append(c.table, stateUnknown)
	}
	const overhead = 100 // of a map entry and the slices, about
	c.size += 4*int(c.width) + 4*len(f.nodes) + len(c.key) + overhead
	return state
}

func (c *cache) front(state uint32) front { return c.fronts[state/c.width] }

// after answers the state behind a byte.
func (c *cache) after(state uint32, b byte) uint32 {
	next := c.table[state+uint32(c.m.alphabet.class[b])]
	if next == stateUnknown {
		return c.compute(state, b)
	}
	return next
}

// compute is after for what the table does not have yet. A full cache is emptied; the states in c.live then get new
// numbers.
func (c *cache) compute(state uint32, b byte) uint32 {
	if c.size > maxCache {
		if c.used < minPerState*len(c.fronts) {
			c.rest()
			return stateTired
		}
		state = c.renew(state)
	}
	f, v := c.step(c.next[:0], c.front(state), b)
	if f.nodes != nil {
		c.next = f.nodes[:0]
	}
	next := c.settled(f, v)
	c.table[state+uint32(c.m.alphabet.class[b])] = next
	return next
}

// renew empties the cache, except for the states that are in use.
func (c *cache) renew(state uint32) uint32 {
	current := c.front(state)
	var kept [lanes]front
	for i, s := range c.live {
		kept[i] = c.front(s)
	}
	c.reset()
	for i, f := range kept {
		c.live[i] = c.settled(f, open)
	}
	return c.settled(current, open)
}
