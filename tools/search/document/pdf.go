package document

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/search/document/internal/pdftext"
	"github.com/dougu-go/dougu/tools/search/index"
)

// pdfTime is how long the reading of one PDF file may take.
const pdfTime = 30 * time.Second

// paged cuts a PDF file: each page with words is a piece.
func paged(ctx context.Context, content []byte, most int) (text []byte, pieces []index.Piece, err error) {
	limited, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	doc, err := pdftext.Read(limited, content, most)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, nil, ErrTooLarge
	case err != nil:
		return nil, nil, ErrDamaged
	}
	var ends []int
	withoutRunning(doc.Pages)
	for _, page := range doc.Pages {
		text = append(append(text, page...), '\f')
		ends = append(ends, len(text))
	}
	return text, pagePieces(text, ends, doc.Title), nil
}

// pagePieces makes pieces of the pages of a text that end at these places.
func pagePieces(text []byte, ends []int, title string) []index.Piece {
	t := newTree(text, 0)
	var all []index.Piece
	start := 0
	for i, end := range ends {
		from := len(all)
		p := index.Piece{Kind: "section", Container: title, Range: index.Span{Start: int32(start), End: int32(end)}}
		if own := trim(text, p.Range); own.Start < own.End && hasWords(text[own.Start:own.End]) {
			p.Own = []index.Span{own}
			all = t.cut(all, p)
		}
		l := lines{text: text, pos: int32(start), line: 1}
		for j := range all[from:] {
			p := &all[from+j]
			t.finish(p, &l)
			p.StartLine, p.EndLine = int32(i+1), int32(i+1)
		}
		start = end
	}
	return all
}

// withoutRunning takes the lines away that stand above and below the pages of a file:
// those that are the same, but for numbers, on many of them.
func withoutRunning(pages []string) {
	count := map[string]int{}
	for _, page := range pages {
		first, last := edges(page)
		count[first]++
		if first != last {
			count[last]++
		}
	}
	many := max(4, len(pages)/3)
	for i, page := range pages {
		first, last := edges(page)
		if count[first] >= many {
			_, page, _ = strings.Cut(page, "\n")
		}
		if count[last] >= many {
			page = page[:max(strings.LastIndexByte(page, '\n'), 0)]
		}
		pages[i] = page
	}
}

// edges are the first and the last line of a page without the numbers in them.
func edges(page string) (first, last string) {
	number := func(r rune) bool { return '0' <= r && r <= '9' || strings.ContainsRune("ivxlcdm", r) }
	first, _, _ = strings.Cut(page, "\n")
	last = page[strings.LastIndexByte(page, '\n')+1:]
	return strings.Join(strings.FieldsFunc(first, number), "#"), strings.Join(strings.FieldsFunc(last, number), "#")
}
