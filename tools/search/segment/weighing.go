package segment

import "github.com/dougu-go/dougu/tools/search/index"

// weighing is how much a word counts.
type weighing struct {
	k1    float64
	norms [index.Fields][256]float64 // by the code of a length: what one word in the field counts
}

func (s *state) weighing(q *index.Query) *weighing {
	w := &weighing{k1: q.K1}
	if w.k1 <= 0 {
		w.k1 = defaultK1
	}
	weights, b := q.Weights, q.B
	if weights == ([index.Fields]float64{}) {
		weights = defaultWeights()
	}
	if b == ([index.Fields]float64{}) {
		b = defaultB()
	}
	for f := range w.norms {
		sum, pieces := 0.0, 0.0
		for _, l := range s.live {
			sum += float64(l.sums[f])
			pieces += float64(l.pieces)
		}
		average := max(sum/max(pieces, 1), 1e-9)
		for code := range w.norms[f] {
			length := float64(lengthOf(uint8(code))) / average
			w.norms[f][code] = max(weights[f], 0) / max(1-b[f]+b[f]*length, 1e-9)
		}
	}
	return w
}

// one is the part of the most that a term can count which it counts in a piece.
func (w *weighing) one(tf frequencies, lengths *[index.Fields]uint8) float64 {
	const body = 8 * index.Body
	x := 0.0
	if tf&^(0xFF<<body) == 0 {
		x = w.norms[index.Body][lengths[index.Body]] * float64(tf>>body)
	} else {
		for f := range lengths {
			if n := tf.of(f); n > 0 {
				x += w.norms[f][lengths[f]] * float64(n)
			}
		}
	}
	return x * (w.k1 + 1) / (w.k1 + x)
}
