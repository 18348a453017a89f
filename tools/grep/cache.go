package grep

import (
	"encoding/binary"
	"slices"
)

// A state is the index of its front times the width of the table: adding the class of a byte gives the index of the next state.
// A value with the highest bit set is one of the following special values.
const (
	special      uint32 = 1 << 31
	stateUnknown        = special     // not computed yet
	stateMatched        = special + 1 // a match has ended
	stateInvalid        = special + 2 // the byte is not UTF-8
	statePaused         = special + 3 // too many states; returned by cache.next only
)

// Limits of a cache.
const (
	maxCache    = 4 << 20 // approximate bytes
	minPerState = 20      // bytes of text per state below which a full cache was useless
	pauseBytes  = 1 << 20 // bytes of text read without a useless cache
)

// cache is a deterministic automaton for a machine. Its states are fronts, computed when a text needs them. A full cache is
// emptied. It is not safe for concurrent use.
type cache struct {
	walker
	width uint32
	table []uint32 // next states, by state and class
	start uint32   // state at the start of a line or text

	fronts []front           // by state / width
	states map[string]uint32 // states by the key of their fronts
	size   int               // approximate bytes of all states
	key    []byte
	next   []int32

	live        [streamCount]uint32 // states in use, which remain valid when the cache is emptied
	used        int                 // bytes read since the cache was emptied
	pausedBytes int                 // bytes that are still read without the cache
	pauses      int                 // number of pauses

	hits     [streamCount][]int // results of scan
	repaired []byte             // buffer of matchRepaired

	wide func() *unicodeMatcher // matches lines beyond ASCII if the machine reads ASCII only; otherwise nil
}

func newCache(m *machine) *cache {
	c := &cache{walker: newWalker(m), width: uint32(len(m.alphabet.first))}
	c.reset()
	c.live = [streamCount]uint32{c.start, c.start, c.start, c.start}
	return c
}

// reset removes all states but the start state.
func (c *cache) reset() {
	c.table, c.fronts, c.size, c.used = c.table[:0], c.fronts[:0], 0, 0
	c.states = make(map[string]uint32)
	f, v := c.begin(c.next[:0])
	c.start = c.stateOf(f, v)
}

// pause empties the cache and disables it for pauseBytes bytes. The states in c.live are lost.
func (c *cache) pause() {
	c.pausedBytes = pauseBytes
	c.pauses++
	c.reset()
	c.live = [streamCount]uint32{c.start, c.start, c.start, c.start}
}

// stateOf returns the state of a front, or a special value.
func (c *cache) stateOf(f front, v outcome) uint32 {
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

// after returns the state behind a byte.
func (c *cache) after(state uint32, b byte) uint32 {
	next := c.table[state+uint32(c.m.alphabet.class[b])]
	if next == stateUnknown {
		return c.compute(state, b)
	}
	return next
}

// compute returns the state behind a byte that the table does not contain. A full cache is emptied; the states in c.live are
// renumbered.
func (c *cache) compute(state uint32, b byte) uint32 {
	if c.size > maxCache {
		if c.used < minPerState*len(c.fronts) {
			c.pause()
			return statePaused
		}
		state = c.evict(state)
	}
	f, v := c.step(c.next[:0], c.front(state), b)
	if f.nodes != nil {
		c.next = f.nodes[:0]
	}
	next := c.stateOf(f, v)
	c.table[state+uint32(c.m.alphabet.class[b])] = next
	return next
}

// evict empties the cache, except for the states in use.
func (c *cache) evict(state uint32) uint32 {
	current := c.front(state)
	var kept [streamCount]front
	for i, s := range c.live {
		kept[i] = c.front(s)
	}
	c.reset()
	for i, f := range kept {
		c.live[i] = c.stateOf(f, undecided)
	}
	return c.stateOf(current, undecided)
}
