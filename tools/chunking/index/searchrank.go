package index

import (
	"strings"

	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/source"
)

// Demotions of a hit among the hits of its base score.
const (
	demoteValue     = 1 // variables, constants, fields
	demoteSecondary = 2 // tests, examples, generated and vendored code, .d.ts
	// maxDemotion is the demotion of a value in a secondary file. Such a hit loses one base
	// score, so that the function fastify precedes all variables with that name in tests.
	maxDemotion = demoteValue + demoteSecondary

	unknownPath = -1 // the demotion of a path that was not computed yet
)

// rankOf returns the order of a hit: base score, then demotion, then the quality of the
// match. Hits of a base score have ranks below rankBase of the next one.
func rankOf(score, demotion int) int {
	base, quality := score/100, score%100
	if demotion == maxDemotion {
		base--
	}
	return base*1000 + (9-demotion)*100 + quality
}

// rankBase returns the number below which all ranks of lower base scores are.
func rankBase(score int) int { return score / 100 * 1000 }

func kindDemotion(kind source.Kind) int {
	if kind.IsValue() {
		return demoteValue
	}
	return 0
}

func pathDemotion(path string) int {
	if rank.Secondary(path) || strings.HasSuffix(path, ".d.ts") || strings.HasSuffix(path, ".d.mts") || strings.HasSuffix(path, ".d.cts") {
		return demoteSecondary
	}
	return 0
}
