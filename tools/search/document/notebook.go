package document

import (
	"encoding/json"
	"strings"
)

// lineList is a text that a notebook stores as one string or as a list of lines.
type lineList string

func (l *lineList) UnmarshalJSON(data []byte) error {
	var all []string
	if json.Unmarshal(data, &all) == nil {
		*l = lineList(strings.Join(all, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// notebookText returns the text of the cells of a Jupyter notebook (nbformat 4), with the headings of Markdown cells. It
// returns nil if the notebook cannot be parsed.
func notebookText(content []byte) (text []byte, all []heading) {
	var book struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source lineList `json:"source"`
		} `json:"cells"`
	}
	if json.Unmarshal(content, &book) != nil {
		return nil, nil
	}
	for _, cell := range book.Cells {
		source := strings.ToValidUTF8(string(cell.Source), "\uFFFD")
		if cell.Type == "markdown" {
			_, found := markdownHeadings([]byte(source))
			for _, h := range found {
				h.at += len(text)
				all = append(all, h)
			}
		}
		text = append(append(text, source...), "\n\n"...)
	}
	return text, all
}
