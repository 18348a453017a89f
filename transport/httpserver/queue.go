package httpserver

// queue holds elements in the order in which they were added; any of them may
// leave. Each has its place in itself, by embedding links, so that nothing is
// allocated, and is in one queue at most. The zero value is ready.
type queue[T any, P linked[T]] struct{ first, last P }

// links are the place of an element.
type links[T any] struct{ before, after *T }

func (l *links[T]) place() *links[T] { return l }

type linked[T any] interface {
	*T
	place() *links[T]
}

// add adds e as the last.
func (q *queue[T, P]) add(e P) {
	if e.place().before = q.last; q.last != nil {
		q.last.place().after = e
	} else {
		q.first = e
	}
	q.last = e
}

// remove takes out e, which is in the queue.
func (q *queue[T, P]) remove(e P) {
	at := e.place()
	if at.before != nil {
		P(at.before).place().after = at.after
	} else {
		q.first = at.after
	}
	if at.after != nil {
		P(at.after).place().before = at.before
	} else {
		q.last = at.before
	}
	*at = links[T]{}
}
