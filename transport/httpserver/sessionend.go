package httpserver

import (
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// cutAfter is how long somebody who writes may go on with it when the stream is
// to end: who takes what is written needs less.
const cutAfter = 500 * time.Millisecond

// What ends a stream from outside must not wait for a client that takes nothing
// more: it says what it wants, and whoever holds the lock sees to that.

// unlock lets go of the lock, after which nothing that others want is left.
func (st *stream) unlock() {
	st.mu.Unlock()
	st.settle()
}

// settle does what others want, unless somebody holds the lock: who does will
// settle.
func (st *stream) settle() {
	for (st.dropped.Load() > 0 || st.refused.Load() != nil) && st.mu.TryLock() {
		st.apply()
		st.mu.Unlock()
	}
}

// apply is settle with the lock held.
func (st *stream) apply() {
	dropped, why := st.dropped.Swap(0), st.refused.Swap(nil)
	if st.ended {
		return
	}
	if why != nil {
		if st.reply != nil {
			st.reply.refuse(why) // unless something was said already
			st.reply = nil
		}
		st.close()
		return
	}
	if st.due -= int(dropped); st.due <= 0 {
		st.finish()
	}
}

// drop says that the answer to one of the requests will not come.
func (st *stream) drop() {
	st.dropped.Add(1)
	st.settle()
}

// refuse gives the stream up for a reason that the client is told if nothing
// else was said. Who is writing then is cut off, unless that ends soon.
func (st *stream) refuse(why *refusal) {
	st.refused.CompareAndSwap(nil, why)
	st.settle()
	if rep := st.latest.Load(); rep != nil && st.refused.Load() != nil {
		group.AfterFunc(cutAfter, func() {
			if st.refused.Load() != nil {
				rep.cut()
			}
		})
	}
}

// isRead reports whether a response carries the stream.
func (st *stream) isRead() bool {
	rep := st.latest.Load()
	return rep != nil && !rep.life.isOver()
}

// takeOver locks the stream. If that has to wait for somebody who writes to rep,
// rep is cut off: it is to end anyway.
func (st *stream) takeOver(rep *reply) {
	if st.mu.TryLock() {
		return
	}
	if rep != nil {
		rep.cut()
	}
	st.mu.Lock()
}

// tick keeps a response of the stream alive. When something else is being said
// there is no need for it.
func (st *stream) tick(rep *reply) {
	if !st.mu.TryLock() {
		rep.life.again(rep.opts.KeepAlive)
		return
	}
	defer st.unlock()
	if !st.ended && st.reply == rep && st.open() == nil && st.reply == rep {
		rep.keepAlive()
	}
}

// detach is the end of a response; the stream goes on.
func (st *stream) detach(rep *reply) {
	st.takeOver(rep)
	if st.reply == rep {
		st.reply = nil
	}
	st.unlock()
	rep.end()
}
