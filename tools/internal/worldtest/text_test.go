package worldtest

import (
	"slices"
	"testing"
)

// Many clients give the text of a result to the model and nothing else, so each tool of a set has a
// text that is shorter than its JSON.
func TestTools_OwnText(t *testing.T) {
	var copies []string
	for name, set := range newSets(t) {
		for _, tool := range set.Features().Tools {
			if tool.TextIsJSON() {
				copies = append(copies, name+": "+tool.Tool().Name)
			}
		}
	}
	slices.Sort(copies)
	if len(copies) > 0 {
		t.Errorf("the text of these tools is a copy of their JSON: %q", copies)
	}
}
