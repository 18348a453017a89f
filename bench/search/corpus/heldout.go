package corpus

// HeldOut returns the repositories of the test, sorted by name. Neither the ranking nor a model may be tuned or trained with their
// files.
func HeldOut() []Repository {
	html := []string{".html"}
	const gems = "usr/share/rubygems-integration/all/gems/"
	const components = "usr/share/php/Symfony/Component/"
	return []Repository{
		{Name: "abr", Version: "2.2.0", leave: []string{"build"}, keep: []string{".ts", ".tsx", ".md", ".js", ".sql"}, parts: []part{
			{"", npm("@digital-go-jp/abr-geocoder", "2.2.0", "sha512-HAj4fbw7KlR+gaOC3OPzR51veTxwc8ibxeWK3CtPdsE/wvyLu2uzgCF0Rv4aQP0dLrXcLOYNnpP+N/7sL5MGfg=="), ""},
		}},
		{Name: "aptitude-ja", Version: "bookworm", keep: html, parts: []part{
			{"", debian("aptitude-doc-ja"), "usr/share/doc/aptitude/html/ja"},
		}},
		{Name: "clap", Version: "4.0.32", parts: []part{
			{"", debian("librust-clap-dev"), "usr/share/cargo/registry/clap-4.0.32"},
		}},
		{Name: "encoding-ja", Version: "2.5.0", leave: []string{"encoding.js", "encoding.min.js"}, keep: []string{".js", ".ts", ".md"}, parts: []part{
			{"", npm("encoding-japanese", "2.5.0", "sha512-5TKhaMWTUF777NQ16OrAkJFuEd1uOnEBw8ODeXFTc/Y9csZZQ6/jiIS5r4aFuzfowu9gLGrE51zqI2H0dLwlmg=="), ""},
		}},
		{Name: "faq-ja", Version: "bookworm", keep: html, parts: []part{
			{"", debian("debian-faq-ja"), "usr/share/doc/debian/FAQ/ja"},
		}},
		{Name: "leveldb", Version: "1.23", parts: []part{
			{"", debianSource("leveldb"), "leveldb-1.23"},
		}},
		{Name: "nats", Version: "2.15.2", parts: []part{
			{"", module{"github.com/nats-io/nats-server/v2", "v2.15.2", "h1:yLsgt2kslgymvxvjFq1WGWck5hkat2YYfbXvQ145tzU="}, ""},
		}},
		{Name: "policy-ja", Version: "bookworm", keep: html, parts: []part{
			{"", debian("debian-policy-ja"), "usr/share/doc/debian-policy/ja"},
		}},
		{Name: "rails", Version: "6.1.7.10", parts: []part{
			{"actionpack", debian("ruby-actionpack"), gems + "actionpack-6.1.7.10"},
			{"activerecord", debian("ruby-activerecord"), gems + "activerecord-6.1.7.10"},
		}},
		{Name: "redis", Version: "7.0.15", leave: []string{"deps"}, keep: []string{".c", ".h", ".tcl", ".md", ".json", ".conf", ".py", ".rb", ".lua", ".sh"}, parts: []part{
			{"", debianSource("redis"), "redis-7.0.15"},
		}},
		{Name: "sqlalchemy", Version: "1.4.46", parts: []part{
			{"", debian("python3-sqlalchemy"), "usr/lib/python3/dist-packages/sqlalchemy"},
		}},
		{Name: "symfony", Version: "5.4", keep: []string{".php", ".md", ".xlf"}, parts: []part{
			{"Console", debian("php-symfony-console"), components + "Console"},
			{"HttpFoundation", debian("php-symfony-http-foundation"), components + "HttpFoundation"},
			{"Validator", debian("php-symfony-validator"), components + "Validator"},
		}},
		{Name: "textlint-ja", Version: "12.0.2", leave: []string{"ai-writing/lib", "no-mix-dearu-desumasu/lib", "redundant-expression/lib", "smarthr/lib", "technical-writing/lib", "spacing/lib"}, keep: []string{".js", ".ts", ".md", ".yml", ".json"}, parts: []part{
			{"ai-writing", npm("@textlint-ja/textlint-rule-preset-ai-writing", "1.7.0", "sha512-xq+y592q4qP4SK5Vs40JRi98BmpJJoIaUO8/U+puOErCyazQvoZqDswIuKsFi1IEFmZ/wNn8OkfJ/5GNhrppNw=="), ""},
			{"no-mix-dearu-desumasu", npm("textlint-rule-no-mix-dearu-desumasu", "6.0.4", "sha512-SmALtOFbtmJ//k2iLMvtqhGrgJ/6uDVZFK7TBj2npVAbt10VxgLL87K+62pQ/BqiN9DpOVObshVFdug7lUOKHw=="), ""},
			{"redundant-expression", npm("textlint-rule-ja-no-redundant-expression", "4.0.1", "sha512-r8Qe6S7u9N97wD0gcrASqBUdZs5CMEVlgc8Ul+D2NQFiOi1BoseOMo5I9yUsEZMAL46yh/eaw9+EWz6IDlPWeA=="), ""},
			{"smarthr", npm("textlint-rule-preset-smarthr", "1.37.0", "sha512-zZe8EN+E2u/K8vxXnELwY5JkRzyD7qYa4dfIeQHVfHJLWuOxsnmQc1JslI0QTuVHBiPUvfbfB0cDhDvBB04xYA=="), ""},
			{"spacing", npm("textlint-rule-preset-ja-spacing", "3.0.3", "sha512-cIdZcM7in3A7cal2VUbOzUsr+rf2n89jAS4mT9rqjN6GsBl0oD0/iPkT71C0r+dwjZwWE3PeBgmwh2q9GqtChA=="), ""},
			{"technical-writing", npm("textlint-rule-preset-ja-technical-writing", "12.0.2", "sha512-BBVY6oA5V799k5wRfP+gCpDHsp6vWjWX2UT+/KLlAFFsNdmRB8Z6qyOnqiOjfzmLGIRgoMcPI1dXj5upOqnD6Q=="), ""},
		}},
		{Name: "webpack", Version: "5.112.2", parts: []part{
			{"", npm("webpack", "5.112.2", "sha512-B2tp1LI9D8GVpPDqprdt12ukTkXXahj9MzqSWJq4faSPgOUM7CdZaGAB6HrL/8E6UwbBpdj4vzWDbKoFnVoU6g=="), ""},
		}},
		{Name: "zod", Version: "4.6.7", parts: []part{
			{"", npm("zod", "4.6.7", "sha512-g8W2D2kU6a8untc053fX1uVBKzM7yqAxW/3zwk83+6RyF2+SKOuV+c0wBDhUwzV1PaGapmZH+rmcUzPf+3CGwg=="), "src"},
		}},
	}
}
