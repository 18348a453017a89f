package outline_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

func TestParser(t *testing.T) {
	var samples []parsertest.Sample
	for _, lang := range (outline.Parser{}).Languages() {
		samples = append(samples, parsertest.Sample{Language: lang, Source: texts[lang]})
	}
	parsertest.Run(t, outline.Parser{}, samples)
}
