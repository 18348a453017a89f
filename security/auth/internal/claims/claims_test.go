package claims_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/internal/claims"
)

const issuer = "https://login.example.com"

func set(t testing.TB, text string) (s claims.Set) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSet_Grant(t *testing.T) {
	for text, want := range map[string]any{
		`{"sub":"alice","scope":"a  b","client_id":"web"}`: auth.Grant{Principal: issuer + "#alice", Permissions: []string{"a", "b"}, ClientID: "web"},
		`{"sub":"a","appid":"web"}`:                        auth.Grant{Principal: issuer + "#a", ClientID: "web"},
		`{"sub":"a","cid":"web","azp":"x"}`:                auth.Grant{Principal: issuer + "#a", ClientID: "x"},
		`{"sub":"a","appid":1}`:                            "appid is no text",
		`{"sub":"alice","scp":["a b","c"],"azp":"web"}`:    auth.Grant{Principal: issuer + "#alice", Permissions: []string{"a", "b", "c"}, ClientID: "web"},
		`{"sub":null,"client_id":"web","scope":null}`:      auth.Grant{Principal: issuer + "?client_id=web", ClientID: "web"},
		`{"sub":"?client_id=web"}`:                         auth.Grant{Principal: issuer + "#?client_id=web"},
		`{"sub":"a","exp":1.9,"cnf":{"jkt":"x"}}`:          auth.Grant{Principal: issuer + "#a", Expires: time.Unix(1, 0), Confirmation: "x"},
		`{"sub":"a","cnf":null,"exp":null}`:                auth.Grant{Principal: issuer + "#a"},
		`{}`:                                               "neither a subject nor a client",
		`{"sub":1}`:                                        "sub is no text",
		`{"sub":"a","client_id":{}}`:                       "client_id is no text",
		`{"sub":"a","azp":[]}`:                             "azp is no text",
		`{"sub":"a\u0000"}`:                                "character",
		`{"sub":"\ud800"}`:                                 "character",
		`{"sub":"a","exp":"x"}`:                            "exp is no time",
		`{"sub":"a","exp":-1}`:                             "exp is no time",
		`{"sub":"a","exp":253402300800}`:                   "exp is no time",
		`{"sub":"a","scope":{}}`:                           "scope is neither",
		`{"sub":"a","scope":"a","scp":[1]}`:                "scp is neither",
		`{"sub":"a","cnf":[]}`:                             "no object",
		`{"sub":"a","cnf":{}}`:                             "other than a key",
		`{"sub":"a","cnf":{"jkt":"x","kid":""}}`:           "other than a key",
	} {
		got, err := set(t, text).Grant(issuer)
		if why, fails := want.(string); fails {
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %+v, %v; want %q", text, got, err, why)
			}
			continue
		}
		grant := want.(auth.Grant)
		grant.Limited, grant.Issuer = true, issuer
		if diff := testdiff.Diff(&grant, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
	many, err := set(t, `{"sub":"a","scope":"`+strings.Repeat("s ", 1000)+`"}`).Grant(issuer)
	if err != nil || len(many.Permissions) != 256 {
		t.Errorf("of 1000 scopes %d count, %v", len(many.Permissions), err)
	}
}

func TestSet_CheckAudience(t *testing.T) {
	own := []string{"https://h.example/mcp", "https://h.example", "name"}
	for audience, want := range map[string]bool{
		`"https://h.example/mcp"`: true, `["x","https://h.example/mcp"]`: true, `"https://h.example/"`: true, `"https://h.example"`: true, `"name"`: true,
		`"https://h.example/mcp/"`: false, `"https://H.example/mcp"`: false, `"https://h.example/m"`: false, `"http://h.example/"`: false, `"https://h.example:443/"`: false,
		`"name/"`: false, `""`: false, `[]`: false, `null`: false, `{}`: false, `[1]`: false, `"https://h.example/#"`: false,
	} {
		if err := set(t, `{"aud":`+audience+`}`).CheckAudience(own); (err == nil) != want {
			t.Errorf("%s: %v", audience, err)
		}
	}
}

func TestSet_CheckTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().Unix()
		for text, want := range map[string]string{
			`{}`: "", `{"exp":%d}`: "expired", `{"nbf":%d}`: "", `{"iat":%d,"nbf":%[1]d}`: "", `{"exp":"x"}`: "no time", `{"iat":[]}`: "no time",
		} {
			if strings.Contains(text, "%") {
				text = fmt.Sprintf(text, now)
			}
			if err := set(t, text).CheckTime(0); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
		for text, good := range map[string]bool{
			fmt.Sprintf(`{"exp":%d}`, now-9): true, fmt.Sprintf(`{"exp":%d}`, now-10): false,
			fmt.Sprintf(`{"nbf":%d}`, now+10): true, fmt.Sprintf(`{"iat":%d}`, now+11): false,
		} {
			if err := set(t, text).CheckTime(10 * time.Second); (err == nil) != good {
				t.Errorf("%s with 10 s between clocks: %v", text, err)
			}
		}
	})
}
