package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// answer is the part of a response that the driver checks.
type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func parseAnswer(line []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return answer{}, fmt.Errorf("read the answer %s: %w", excerpt(line), err)
	}
	if a.Error != nil {
		return answer{}, fmt.Errorf("the server refused: %s", excerpt(a.Error))
	}
	if a.Result == nil {
		return answer{}, fmt.Errorf("the message is no answer: %s", excerpt(line))
	}
	return a, nil
}

// verify checks the responses to an exchange: each has the id of a call, ids are unique, and check accepts each result.
func (x exchange) verify(answers [][]byte, check func(result json.RawMessage) error) error {
	seen := make(map[int]bool, len(answers))
	var right json.RawMessage // a verified result, because most results are equal
	for _, line := range answers {
		a, err := parseAnswer(line)
		if err != nil {
			return err
		}
		if a.ID < x.first || a.ID >= x.first+x.calls {
			return fmt.Errorf("an answer has the identifier %d; those of the calls are %d to %d", a.ID, x.first, x.first+x.calls-1)
		}
		if seen[a.ID] {
			return fmt.Errorf("call %d was answered twice", a.ID)
		}
		seen[a.ID] = true
		if bytes.Equal(a.Result, right) {
			continue
		}
		if err := check(a.Result); err != nil {
			return fmt.Errorf("the answer to call %d is wrong: %w: %s", a.ID, err, excerpt(line))
		}
		right = a.Result
	}
	return nil
}

func excerpt(b []byte) string {
	const most = 300
	if len(b) <= most {
		return string(b)
	}
	return fmt.Sprintf("%s… (%d bytes)", b[:most], len(b))
}
