package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/nearest"
)

// Type describes the values of a key: how they are parsed, checked and shown.
type Type[T any] struct {
	allowed string // "a whole number from 1 to 1000"
	schema  []Member
	words   []string // the allowed words of a value or an element, if it is an enumeration
	// read converts a node to a value. Each error is a fault; ok is false without a value.
	read func(n Node) (value T, faults []fault, ok bool)
	// parse parses the value of an environment variable or a flag.
	parse func(s string) (Node, error)
	show  func(v T) Node
}

// fault is a part of a value that is refused.
type fault struct {
	path    string // within the value: "[2]"
	node    Node
	allowed string
	near    string // the most similar valid value
}

// wrong is the only fault of a value.
func wrong(n Node, allowed, near string) []fault {
	return []fault{{node: n, allowed: allowed, near: near}}
}

// Text is text of least to most characters, on one line and without control
// characters.
func Text(least, most int) Type[string] {
	allowed := fmt.Sprintf("text of %d to %d characters, without control characters", least, most)
	return Type[string]{
		allowed: allowed,
		schema:  []Member{member("type", text("string")), member("minLength", whole(least)), member("maxLength", whole(most))},
		read: func(n Node) (string, []fault, bool) {
			length := utf8.RuneCountInString(n.Text)
			if n.Kind != String || length < least || length > most || strings.ContainsFunc(n.Text, unicode.IsControl) {
				return "", wrong(n, allowed, ""), false
			}
			return n.Text, nil, true
		},
		parse: func(s string) (Node, error) { return text(s), nil },
		show:  text,
	}
}

// OneOf is one of some words.
func OneOf(words ...string) Type[string] {
	allowed := "one of " + strings.Join(words, ", ")
	return Type[string]{
		allowed: allowed,
		schema:  []Member{member("enum", texts(words))},
		words:   words,
		read: func(n Node) (string, []fault, bool) {
			if n.Kind != String || !slices.Contains(words, n.Text) {
				return "", wrong(n, allowed, nearest.Name(n.Text, words)), false
			}
			return n.Text, nil, true
		},
		parse: func(s string) (Node, error) { return text(strings.TrimSpace(s)), nil },
		show:  text,
	}
}

func whole[T ~int | ~int64](v T) Node { return number(strconv.FormatInt(int64(v), 10)) }

// Whole is a whole number from least to most.
func Whole[T ~int | ~int64](least, most T) Type[T] {
	allowed := fmt.Sprintf("a whole number from %d to %d", least, most)
	return Type[T]{
		allowed: allowed,
		schema:  []Member{member("type", text("integer")), member("minimum", whole(least)), member("maximum", whole(most))},
		read: func(n Node) (T, []fault, bool) {
			v, ok := integer(n)
			if !ok || v < int64(least) || v > int64(most) {
				return 0, wrong(n, allowed, ""), false
			}
			return T(v), nil, true
		},
		parse: func(s string) (Node, error) {
			s = strings.TrimSpace(s)
			if _, err := strconv.ParseFloat(s, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
				return text(s), nil // which read refuses
			}
			return number(s), nil
		},
		show: whole[T],
	}
}

// integer is the value of a number without a fraction, however it is written.
func integer(n Node) (int64, bool) {
	if n.Kind != Number {
		return 0, false
	}
	if v, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
		return v, true
	}
	const exact = 1 << 53
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	return int64(f), true
}

// Switch is true or false.
func Switch() Type[bool] {
	const allowed = "true or false"
	return Type[bool]{
		allowed: allowed,
		schema:  []Member{member("type", text("boolean"))},
		read: func(n Node) (bool, []fault, bool) {
			if n.Kind != Bool {
				return false, wrong(n, allowed, ""), false
			}
			return n.Text == "true", nil, true
		},
		parse: func(s string) (Node, error) {
			b, err := strconv.ParseBool(strings.TrimSpace(s))
			if err != nil {
				return text(s), nil // which read refuses
			}
			return boolean(b), nil
		},
		show: boolean,
	}
}

// ListOf is a list of up to most elements, none of them twice. An element that is
// not allowed is left out; the others stay.
func ListOf(element Type[string], most int) Type[[]string] {
	allowed := fmt.Sprintf("a list of up to %d elements, each %s", most, element.allowed)
	return Type[[]string]{
		allowed: allowed,
		schema: []Member{
			member("type", text("array")), member("items", object(element.schema...)),
			member("maxItems", whole(most)), member("uniqueItems", boolean(true)),
		},
		words: element.words,
		read: func(n Node) ([]string, []fault, bool) {
			if n.Kind != List || len(n.Elements) > most {
				return nil, wrong(n, allowed, ""), false
			}
			return readElements(n, element)
		},
		parse: func(s string) (Node, error) { return parseList(s, element) },
		show:  texts,
	}
}

func readElements(n Node, element Type[string]) ([]string, []fault, bool) {
	values := make([]string, 0, len(n.Elements))
	known := make(map[string]bool, len(n.Elements))
	var faults []fault
	for i, e := range n.Elements {
		v, more, ok := element.read(e)
		if ok && known[v] {
			ok, more = false, wrong(e, "every element once", "")
		}
		for _, f := range more {
			f.path = fmt.Sprintf("[%d]%s", i, f.path)
			faults = append(faults, f)
		}
		if ok {
			values, known[v] = append(values, v), true
		}
	}
	return values, faults, true
}

// parseList reads a JSON array, or words between commas.
func parseList(s string, element Type[string]) (Node, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "[") {
		n, err := JSON([]byte(s))
		if err != nil {
			return text(s), fmt.Errorf("a list in JSON or between commas; as JSON it is wrong at %w", err)
		}
		return unplaced(n), nil
	}
	n := list()
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		e, err := element.parse(word)
		if err != nil {
			return n, err
		}
		n.Elements = append(n.Elements, e)
	}
	return n, nil
}

// unplaced returns a list without positions, which would be positions within a variable.
func unplaced(n Node) Node {
	n.Position = Position{}
	n.Elements = slices.Clone(n.Elements)
	for i := range n.Elements {
		n.Elements[i] = unplaced(n.Elements[i])
	}
	return n
}
