package segment

import (
	"bytes"
	"slices"
	"strings"
)

// maxExpansions is how many words the beginning of one stands for: the most
// frequent ones.
const maxExpansions = 200

// maxWalk is how many words are looked at for that.
const maxWalk = 500_000

// expand replaces the beginnings of words by words.
func (s *state) expand(words []string) ([]string, error) {
	var all []string
	for _, word := range words {
		prefix, ok := strings.CutSuffix(word, "*")
		switch {
		case !ok:
			all = append(all, word)
		case prefix != "":
			found, err := s.beginning(prefix)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// beginning answers the most frequent words that begin with a prefix.
func (s *state) beginning(prefix string) ([]string, error) {
	walks := make([]wordWalk, 0, len(s.live))
	for _, l := range s.live {
		walk := l.words.from(prefix)
		more := walk.next()
		for more && string(walk.word) < prefix {
			more = walk.next()
		}
		if more {
			walks = append(walks, walk)
		}
		if walk.err != nil {
			return nil, walk.err
		}
	}
	var most frequent
	var word []byte
	for range maxWalk {
		first := -1
		for i := range walks {
			if first < 0 || bytes.Compare(walks[i].word, walks[first].word) < 0 {
				first = i
			}
		}
		if first < 0 || !bytes.HasPrefix(walks[first].word, []byte(prefix)) {
			break
		}
		word = append(word[:0], walks[first].word...)
		count := 0
		for i := 0; i < len(walks); i++ {
			if !bytes.Equal(walks[i].word, word) {
				continue
			}
			count += walks[i].place.count
			if !walks[i].next() {
				if walks[i].err != nil {
					return nil, walks[i].err
				}
				walks = slices.Delete(walks, i, i+1)
				i--
			}
		}
		most.add(word, count)
	}
	return most.words(), nil
}

// frequent keeps the most frequent of the words that are added in order; of those
// that are as frequent the first. It is a heap, with the least frequent on top.
type frequent []counted

type counted struct {
	word  string
	count int
}

// below says that one is to be dropped before the other.
func (c *counted) below(o *counted) bool {
	return c.count < o.count || c.count == o.count && c.word > o.word
}

func (f *frequent) add(word []byte, count int) {
	h := *f
	if len(h) == maxExpansions {
		if count <= h[0].count {
			return
		}
		h[0] = counted{string(word), count}
		h.down()
		return
	}
	h = append(h, counted{string(word), count})
	for i := len(h) - 1; i > 0 && h[i].below(&h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*f = h
}

func (f frequent) down() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(f); child++ {
			if f[child].below(&f[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		f[i], f[least] = f[least], f[i]
		i = least
	}
}

func (f frequent) words() []string {
	list := make([]string, len(f))
	for i := range f {
		list[i] = f[i].word
	}
	return list
}
