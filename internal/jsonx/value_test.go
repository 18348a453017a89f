package jsonx_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/jsonx"
)

func TestAppendValue(t *testing.T) {
	dst, err := jsonx.AppendValue([]byte(`x`), map[string]string{"a": "<b>"})
	if err != nil || string(dst) != `x{"a":"<b>"}` {
		t.Errorf("%s, %v", dst, err)
	}
	if dst, err = jsonx.AppendValue([]byte(`x`), func() {}); err == nil || string(dst) != `x` {
		t.Errorf("a function is encoded as %s", dst)
	}
}

func TestAppendMember(t *testing.T) {
	if got := string(jsonx.AppendMember([]byte(`{"a":1`), "b", `"c"`)); got != `{"a":1,"b":"\"c\""` {
		t.Error(got)
	}
}

func TestMember(t *testing.T) {
	for _, tc := range []struct{ object, name, want string }{
		{`{"a":1,"b":{"c":2}}`, "b", `{"c":2}`},
		{`{"\u0061":1}`, "a", `1`},
		{`{"a":1}`, "c", ``},
		{`[1]`, "a", ``},
		{``, "a", ``},
	} {
		if got := string(jsonx.Member([]byte(tc.object), tc.name)); got != tc.want {
			t.Errorf("member %s of %s: %s, want %s", tc.name, tc.object, got, tc.want)
		}
	}
}

func TestAppendOptional(t *testing.T) {
	if got := string(jsonx.AppendOptional(jsonx.AppendOptional([]byte("{"), "a", ""), "b", "x")); got != `{,"b":"x"` {
		t.Errorf("got %s", got)
	}
}
