package treesitter

import (
	"bytes"
	"slices"
)

// The parts of the query for Ruby. The grammar accepts "..." in each list, and the operators as the first word of a line, which Ruby
// accepts since version 4.
const (
	rubyForwards = " [(method) (singleton_method)] @method (method parameters: (method_parameters (forward_parameter))) @forwarding" +
		" (singleton_method parameters: (method_parameters (forward_parameter))) @forwarding" +
		" (argument_list (forward_argument) @forward) (array (forward_argument) @wrong) (element_reference (forward_argument) @wrong)"
	rubyInfix = ` (binary operator: ["&&" "||" "and" "or"] @infix)`
)

// forwards holds the methods of a text of Ruby and the arguments "..." of calls.
type forwards struct {
	methods    []span
	forwarding []span // the methods with the parameter "..."
	arguments  []span
}

// misplaced returns the arguments "..." of calls that are in no method or in a method without the parameter "...".
func (f *forwards) misplaced() []span {
	if len(f.arguments) == 0 {
		return nil
	}
	slices.SortFunc(f.arguments, bySpan)
	slices.SortFunc(f.methods, bySpan)
	slices.SortFunc(f.forwarding, bySpan)
	var wrong, open []span
	methods := f.methods
	for _, argument := range f.arguments {
		for len(methods) > 0 && methods[0].start <= argument.start {
			for len(open) > 0 && open[len(open)-1].end <= methods[0].start {
				open = open[:len(open)-1]
			}
			open, methods = append(open, methods[0]), methods[1:]
		}
		for len(open) > 0 && open[len(open)-1].end <= argument.start {
			open = open[:len(open)-1]
		}
		forwarded := false
		if len(open) > 0 {
			_, forwarded = slices.BinarySearchFunc(f.forwarding, open[len(open)-1], bySpan)
		}
		if !forwarded {
			wrong = append(wrong, argument)
		}
	}
	return wrong
}

// infix finds an operator between operands that begins a line, unless the line before it ends in a backslash.
func (c *checkRun) infix(at span) {
	start := bytes.LastIndexByte(c.src[:at.start], '\n') + 1
	if start == 0 || len(bytes.TrimSpace(c.src[start:at.start])) > 0 || c.lineAt(start).continued {
		return
	}
	c.add(at.start, "before Ruby 4, no line can begin with "+string(c.src[at.start:at.end]))
}
