package token_test

import (
	"fmt"

	"github.com/dougu-go/dougu/tools/search/token"
)

func ExampleScanner_Words() {
	var s token.Scanner
	for w := range s.Words([]byte("parseHTTPUrl(設定名)")) {
		fmt.Printf("%s ", w.Text)
	}
	// Output: parsehttpurl parse http url 設定 定名 名
}

func ExampleParseQuery() {
	for _, g := range token.ParseQuery("where is max_size 設定").Groups {
		fmt.Println(g.Whole, g.Parts, g.Code)
	}
	// Output:
	// where [] false
	// is [] false
	// maxsize [max size] true
	// 設定 [設定] false
}
