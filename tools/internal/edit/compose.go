package edit

// compose joins changes of the original content with hunks of the changed text. The result are changes of the original content
// with the effect of both. All of them are in ascending order and do not touch.
func compose(changes []Change, hunks []hunk) []Change {
	out := make([]Change, 0, len(changes)+len(hunks))
	c := cursor{changes: changes}
	for _, h := range hunks {
		out = c.until(out, h.start)
		start := h.start - c.shift
		c.skip(h.end)
		out = append(out, Change{start, h.end - c.shift, h.text})
	}
	for c.next() {
		out = append(out, c.first)
	}
	return out
}

// cursor goes through changes by their places in the text that they make.
type cursor struct {
	changes []Change
	first   Change // the rest of the change that was begun
	begun   bool
	shift   int // difference between an offset in the text after the passed part and the same offset in the original content
}

// next makes sure that first is set, if there is any change left.
func (c *cursor) next() bool {
	if !c.begun && len(c.changes) > 0 {
		c.first, c.changes, c.begun = c.changes[0], c.changes[1:], true
	}
	began := c.begun
	c.begun = false
	return began
}

// until passes the changes in front of a place in the text, keeping them. One that goes beyond it is split.
func (c *cursor) until(out []Change, place int) []Change {
	for c.next() {
		from := c.first.Start + c.shift
		if from+len(c.first.New) > place {
			if from < place {
				head := c.split(place - from)
				out = append(out, head)
			}
			c.begun = true
			return out
		}
		out = append(out, c.first)
		c.pass(c.first)
	}
	return out
}

// skip passes the changes in front of a place in the text, which are replaced. Of one that goes beyond it the rest stays.
func (c *cursor) skip(place int) {
	for c.next() {
		from := c.first.Start + c.shift
		if from >= place {
			c.begun = true
			return
		}
		if from+len(c.first.New) > place {
			c.split(place - from)
			c.begun = true
			return
		}
		c.pass(c.first)
	}
}

// split cuts n bytes off the new text of the first change. The replaced text goes with them.
func (c *cursor) split(n int) Change {
	head := Change{c.first.Start, c.first.End, c.first.New[:n]}
	c.first = Change{c.first.End, c.first.End, c.first.New[n:]}
	c.pass(head)
	return head
}

func (c *cursor) pass(done Change) { c.shift += len(done.New) - (done.End - done.Start) }

// origins returns the offsets in the original content of ascending offsets in the changed text. An offset in new text has the
// beginning of its change.
func origins(changes []Change, places []int) []int {
	out := make([]int, len(places))
	shift, i := 0, 0
	for n, place := range places {
		for i < len(changes) && changes[i].Start+shift+len(changes[i].New) <= place {
			shift += len(changes[i].New) - (changes[i].End - changes[i].Start)
			i++
		}
		out[n] = place - shift
		if i < len(changes) {
			out[n] = min(out[n], changes[i].Start)
		}
	}
	return out
}
