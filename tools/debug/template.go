package debug

import "strings"

// values maps placeholders to values: strings, or any type for a complete string. nil is no value.
type values map[string]any

// expand replaces the placeholders of a template: see Launch. It is not ok if that is one without a value.
func (v values) expand(template any) (result any, ok bool) {
	switch t := template.(type) {
	case string:
		return v.text(t)
	case []any:
		list := make([]any, 0, len(t))
		for _, element := range t {
			if element == "{args...}" {
				args, _ := v["args"].([]string)
				for _, arg := range args {
					list = append(list, arg)
				}
				continue
			}
			if value, ok := v.expand(element); ok {
				list = append(list, value)
			}
		}
		return list, true
	case map[string]any:
		object := make(map[string]any, len(t))
		for name, element := range t {
			if value, ok := v.expand(element); ok {
				object[name] = value
			}
		}
		return object, true
	}
	return template, true
}

func (v values) text(template string) (any, bool) {
	if name, ok := strings.CutPrefix(template, "{"); ok && strings.HasSuffix(name, "}") {
		if value, known := v[strings.TrimSuffix(name, "}")]; known {
			return value, value != nil
		}
	}
	var pairs []string
	for name, value := range v {
		if text, ok := value.(string); ok {
			pairs = append(pairs, "{"+name+"}", text)
		}
	}
	return strings.NewReplacer(pairs...).Replace(template), true
}

// words replaces the placeholders of a command.
func (v values) words(template []string) []string {
	list := make([]any, len(template))
	for i, word := range template {
		list[i] = word
	}
	expanded, _ := v.expand(list)
	var words []string
	for _, word := range expanded.([]any) {
		if text, ok := word.(string); ok {
			words = append(words, text)
		}
	}
	return words
}
