package githubtest_test

import (
	"fmt"
	"io"
	"net/http"

	"github.com/dougu-go/dougu/tools/search/github/githubtest"
)

func Example() {
	server := githubtest.New()
	defer server.Close()
	server.Add("octocat/hello").AddIssue(githubtest.Issue{Title: "Login fails"})
	server.On("GET /repos/octocat/hello/issues", githubtest.SecondaryLimit(429, 30))

	for range 2 {
		answer, err := http.Get(server.URL() + "repos/octocat/hello/issues")
		if err != nil {
			fmt.Println(err)
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		fmt.Printf("%d %q\n", answer.StatusCode, answer.Header.Get("Retry-After"))
	}
	fmt.Println(server.Count("GET", "/repos"))
	// Output:
	// 429 "30"
	// 200 ""
	// 2
}
