package fs

import "strings"

// Kinds of manifests. A framework that builds on another one is listed before it.
var (
	goModule = &manifestKind{[]string{"Go"}, wordsOf("#"), []framework{
		{"github.com/wailsapp/wails", "Wails"}, {"fyne.io/fyne", "Fyne"}, {"github.com/gin-gonic/gin", "Gin"},
		{"github.com/labstack/echo", "Echo"}, {"github.com/gofiber/fiber", "Fiber"}, {"github.com/go-chi/chi", "chi"},
		{"github.com/beego/beego", "Beego"}, {"github.com/gorilla/mux", "Gorilla"},
	}}
	nodePackage = &manifestKind{[]string{"JavaScript", "TypeScript", "Vue", "Svelte"}, packages, []framework{
		{"next", "Next.js"}, {"nuxt", "Nuxt"}, {"@remix-run/react", "Remix"}, {"gatsby", "Gatsby"}, {"astro", "Astro"}, {"expo", "Expo"},
		{"react-native", "React Native"}, {"@nestjs/core", "NestJS"}, {"@angular/core", "Angular"}, {"@sveltejs/kit", "SvelteKit"},
		{"electron", "Electron"}, {"vue", "Vue"}, {"svelte", "Svelte"}, {"solid-js", "Solid"}, {"react", "React"}, {"preact", "Preact"},
		{"express", "Express"}, {"fastify", "Fastify"}, {"koa", "Koa"}, {"hono", "Hono"}, {"@hapi/hapi", "hapi"},
	}}
	pythonProject = &manifestKind{[]string{"Python"}, wordsOf("#"), []framework{
		{"django", "Django"}, {"fastapi", "FastAPI"}, {"flask", "Flask"}, {"streamlit", "Streamlit"}, {"tornado", "Tornado"},
		{"pyramid", "Pyramid"}, {"sanic", "Sanic"}, {"aiohttp", "aiohttp"}, {"starlette", "Starlette"},
	}}
	cargo = &manifestKind{[]string{"Rust"}, wordsOf("#"), []framework{
		{"tauri", "Tauri"}, {"leptos", "Leptos"}, {"yew", "Yew"}, {"bevy", "Bevy"}, {"actix-web", "Actix Web"}, {"rocket", "Rocket"},
		{"axum", "Axum"}, {"warp", "warp"},
	}}
	gemfile  = &manifestKind{[]string{"Ruby"}, wordsOf("#"), []framework{{"rails", "Ruby on Rails"}, {"hanami", "Hanami"}, {"sinatra", "Sinatra"}}}
	jvmBuild = &manifestKind{[]string{"Java", "Kotlin", "Scala", "Groovy"}, wordsOf("//"), []framework{
		{"com.android.application", "Android"}, {"com.android.library", "Android"}, {"org.springframework.boot", "Spring Boot"},
		{"spring-boot-starter-parent", "Spring Boot"}, {"io.quarkus", "Quarkus"}, {"io.quarkus.platform", "Quarkus"}, {"io.micronaut", "Micronaut"},
		{"io.micronaut.application", "Micronaut"}, {"io.ktor", "Ktor"}, {"io.ktor.plugin", "Ktor"}, {"org.springframework", "Spring"},
	}}
	swiftPackage  = &manifestKind{[]string{"Swift"}, wordsOf("//"), []framework{{"vapor", "Vapor"}, {"hummingbird", "Hummingbird"}}}
	dotnetProject = &manifestKind{[]string{"C#", "F#", "Visual Basic"}, wordsOf(""), []framework{
		{"microsoft.net.sdk.blazorwebassembly", "Blazor"}, {"usemaui", ".NET MAUI"}, {"usewpf", "WPF"}, {"usewindowsforms", "Windows Forms"},
		{"avalonia", "Avalonia"}, {"microsoft.net.sdk.web", "ASP.NET Core"},
	}}
	composer = &manifestKind{[]string{"PHP"}, packages, []framework{
		{"laravel/framework", "Laravel"}, {"symfony/framework-bundle", "Symfony"}, {"symfony/symfony", "Symfony"}, {"slim/slim", "Slim"},
		{"cakephp/cakephp", "CakePHP"}, {"codeigniter4/framework", "CodeIgniter"}, {"yiisoft/yii2", "Yii"},
	}}
	pubspec    = &manifestKind{[]string{"Dart"}, wordsOf("#"), []framework{{"flutter", "Flutter"}}}
	mixProject = &manifestKind{[]string{"Elixir"}, wordsOf("#"), []framework{{"phoenix", "Phoenix"}}}
	unity      = &manifestKind{[]string{"C#"}, presence, []framework{{"", "Unity"}}}
	godot      = &manifestKind{[]string{"GDScript", "C#"}, presence, []framework{{"", "Godot"}}}
	unreal     = &manifestKind{[]string{"C++"}, presence, []framework{{"", "Unreal Engine"}}}
	native     = &manifestKind{[]string{"C++", "C"}, wordsOf("#"), []framework{{"qt6", "Qt"}, {"qt5", "Qt"}}}
	typescript = &manifestKind{languages: []string{"TypeScript"}}
)

// manifestsByName maps file names to kinds.
var manifestsByName = map[string]*manifestKind{
	"go.mod": goModule, "package.json": nodePackage, "tsconfig.json": typescript,
	"pyproject.toml": pythonProject, "requirements.txt": pythonProject, "setup.py": pythonProject, "setup.cfg": pythonProject, "Pipfile": pythonProject,
	"Cargo.toml": cargo, "Gemfile": gemfile, "composer.json": composer, "pubspec.yaml": pubspec, "mix.exs": mixProject,
	"pom.xml": jvmBuild, "build.gradle": jvmBuild, "build.gradle.kts": jvmBuild, "Package.swift": swiftPackage,
	"ProjectVersion.txt": unity, "project.godot": godot, "CMakeLists.txt": native,
}

// manifestsByExtension maps extensions to kinds.
var manifestsByExtension = map[string]*manifestKind{
	".csproj": dotnetProject, ".fsproj": dotnetProject, ".vbproj": dotnetProject, ".uproject": unreal,
}

// kindOfManifest returns the kind of a file name, or nil.
func kindOfManifest(name string) *manifestKind {
	if kind, ok := manifestsByName[name]; ok {
		return kind
	}
	return manifestsByExtension[name[max(0, strings.LastIndexByte(name, '.')):]]
}
