package uses

import (
	"slices"
	"strings"
)

// referenced returns the overload that a method reference of Java means, whose name is at
// a token, by the number of the arguments that its place gives. It returns nil if several
// overloads are possible.
func (s *search) referenced(o *symbol, f *text, i int) *symbol {
	if o.next == nil {
		return o
	}
	start := f.chainStart(i - 1)
	count, ok := s.expectedArguments(f, start)
	if !ok {
		return nil
	}
	receiver, isReference := s.eval(f, start, i-1).(*reference)
	isClass := isReference && receiver.symbol.kind == symClass
	var fitting []*symbol
	for ; o != nil && s.step(); o = o.next {
		if o.fn == nil {
			continue
		}
		params := len(o.fn.params)
		if isClass && !o.static {
			params++ // the first argument is the receiver
		}
		if params == count || o.fn.rest {
			fitting = append(fitting, o)
		}
	}
	if len(fitting) != 1 {
		return nil
	}
	return fitting[0]
}

// expectedArguments returns the number of parameters of the functional interface at the
// place of a method reference that begins at start.
func (s *search) expectedArguments(f *text, start int) (int, bool) {
	argument := 0
	for j, n := start-1, 0; j > 0 && n < 1_000; j, n = j-1, n+1 {
		switch word := f.at(j); {
		case f.closes(j) && f.pair(j) >= 0:
			j = f.pair(j)
		case word == ",":
			argument++
		case word == "(":
			return s.callbackArguments(f, j, argument)
		case word == "=" && n == 0:
			sym := s.lookup(f, f.at(j-1), j-1)
			if sym == nil || !sym.typ.ok() {
				return 0, false
			}
			return functionalArguments(lastName(sym.text, sym.typ))
		case word == ";" || word == "{" || word == "}":
			return 0, false
		}
	}
	return 0, false
}

// callbackArguments returns the number of parameters of a function that is an argument of
// the call whose parenthesis is at open.
func (s *search) callbackArguments(f *text, open, argument int) (int, bool) {
	name := open - 1
	if !f.isName(name) {
		return 0, false
	}
	start := f.chainStart(open)
	if start >= open {
		return 0, false
	}
	if r, ok := s.eval(f, start, open).(*reference); ok && r.symbol.fn != nil && r.symbol.next == nil && argument < len(r.symbol.fn.params) {
		p := r.symbol.fn.params[argument]
		return functionalArguments(lastName(p.text, p.typ))
	}
	word := f.at(name)
	if before, ok := s.eval(f, start, name-1).(*generic); ok && before.name == "Map" && (word == "forEach" || word == "replaceAll") {
		return 2, true
	}
	for count, names := range javaCallbacks {
		if slices.Contains(names, word) {
			return count, true
		}
	}
	return 0, false
}

// lastName returns the last part of a qualified type, without its type arguments.
func lastName(f *text, at span) string {
	name := f.at(at.from)
	for i := at.from + 1; i+1 < at.to && f.at(i) == "."; i += 2 {
		name = f.at(i + 1)
	}
	return name
}

// javaCallbacks are methods of the standard library by the number of the parameters of
// the function that they take.
var javaCallbacks = [][]string{
	0: {"orElseGet", "orElseThrow", "execute", "submit", "invokeLater", "invokeAndWait", "supplyAsync", "runAsync", "generate", "withInitial", "addShutdownHook"},
	1: {
		"forEach", "map", "filter", "removeIf", "anyMatch", "allMatch", "noneMatch", "flatMap", "mapToInt", "mapToLong", "mapToDouble", "mapToObj", "ifPresent", "peek", "thenApply",
		"thenAccept", "thenCompose", "computeIfAbsent", "forEachRemaining", "takeWhile", "dropWhile", "comparing", "comparingInt", "thenComparing", "groupingBy",
	},
	2: {"merge", "compute", "computeIfPresent", "thenCombine", "whenComplete", "handle", "reduce"},
}

// functionalArguments returns the number of parameters of a functional interface of the
// standard library.
func functionalArguments(name string) (int, bool) {
	switch {
	case name == "Runnable" || name == "Callable" || strings.HasSuffix(name, "Supplier"):
		return 0, true
	case name == "Comparator", strings.HasPrefix(name, "Obj") && strings.HasSuffix(name, "Consumer"), strings.HasSuffix(name, "BinaryOperator"),
		strings.HasSuffix(name, "BiFunction"), strings.HasSuffix(name, "BiConsumer"), strings.HasSuffix(name, "BiPredicate"):
		return 2, true
	case strings.HasSuffix(name, "Consumer"), strings.HasSuffix(name, "Function"), strings.HasSuffix(name, "Predicate"), strings.HasSuffix(name, "UnaryOperator"):
		return 1, true
	}
	return 0, false
}
