package jsonx

// AppendMembers appends an object with a member for each key, in the order of keys. value appends the value of a key.
func AppendMembers(dst []byte, keys []string, value func(dst []byte, key string) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendQuoted(dst, key), ':')
		var err error
		if dst, err = value(dst, key); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
