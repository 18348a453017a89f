package main

import (
	"io/fs"

	"github.com/dougu-go/dougu/bench/corpora"
)

// mapProject is a project with questions of a person who sees it for the first time.
type mapProject struct {
	name, language string
	test           bool // false for a project that served to improve the ranking
	files          func(*bench) (fs.FS, error)
	within         string // directory of the project in files
	questions      []mapQuestion
}

// mapQuestion is a question with the declarations that an answer names.
type mapQuestion struct {
	text     string
	evidence string   // document that names the declarations, or the subject to which they belong
	ids      []string // of chunks
}

// mapProjects returns the projects. The declarations were chosen from the documents of the projects before a map was made of them.
func mapProjects() []mapProject {
	return []mapProject{
		{"esbuild", "Go", true, goFiles("github.com/evanw/esbuild", "v0.25.0"), ".", []mapQuestion{
			{"how does a build go through its phases, scan and compile", "docs/architecture.md, Overview", []string{
				"internal/bundler/bundler.go#ScanBundle", "internal/bundler/bundler.go#Bundle.Compile", "internal/linker/linker.go#Link", "pkg/api/api.go#Build",
			}},
			{"where is JavaScript lexed and parsed into an AST", "docs/architecture.md, Notes about parsing", []string{
				"internal/js_parser/js_parser.go#Parse", "internal/js_lexer/js_lexer.go#Lexer", "internal/js_ast/js_ast.go#AST",
			}},
			{"how do the two passes of the parser handle scopes", "docs/architecture.md, Symbols and scopes", []string{
				"internal/js_parser/js_parser.go#parser.pushScopeForParsePass", "internal/js_parser/js_parser.go#parser.pushScopeForVisitPass",
				"internal/js_parser/js_parser.go#parser.popScope", "internal/js_parser/js_parser.go#parser.popAndDiscardScope",
			}},
			{"how does tree shaking remove unused code, and code splitting compute chunks", "docs/architecture.md, Tree shaking, Code splitting", []string{
				"internal/linker/linker.go#linkerContext.treeShakingAndCodeSplitting", "internal/linker/linker.go#linkerContext.markFileLiveForTreeShaking",
				"internal/linker/linker.go#linkerContext.computeChunks",
			}},
			{"how are imported symbols merged with exports, and names minified", "docs/architecture.md, Scope hoisting, Symbol minification", []string{
				"internal/ast/ast.go#MergeSymbols", "internal/ast/ast.go#FollowSymbols", "internal/renamer/renamer.go#MinifyRenamer", "internal/linker/linker.go#linkerContext.renameSymbolsInChunk",
			}},
			{"where is an import path resolved to a file", "docs/architecture.md, Notes about parsing", []string{
				"internal/resolver/resolver.go#Resolver", "internal/resolver/resolver.go#Resolver.Resolve", "internal/resolver/resolver.go#NewResolver", "internal/bundler/bundler.go#RunOnResolvePlugins",
			}},
		}},
		{"redis", "C", true, debianSource("redis"), "redis-*", []mapQuestion{
			{"how does the server start, and where is its event loop", "README.md, server.c", []string{
				"src/server.c#main", "src/server.c#initServerConfig", "src/server.c#initServer", "src/ae.c#aeMain",
			}},
			{"how is a command read from a client, parsed and executed", "README.md, networking.c", []string{
				"src/networking.c#readQueryFromClient", "src/networking.c#processInputBuffer", "src/server.c#processCommand", "src/server.c#call",
			}},
			{"how are replies sent to a client", "README.md, networking.c", []string{
				"src/networking.c#addReply", "src/networking.c#writeToClient", "src/networking.c#sendReplyToClient", "src/networking.c#createClient",
			}},
			{"how are keys looked up, added and deleted in a database", "README.md, db.c", []string{
				"src/db.c#lookupKeyRead", "src/db.c#lookupKeyWrite", "src/db.c#dbAdd", "src/db.c#setKey", "src/db.c#dbDelete",
			}},
			{"what happens when keys expire or memory runs out", "README.md, server.c", []string{
				"src/expire.c#activeExpireCycle", "src/evict.c#performEvictions", "src/server.c#serverCron",
			}},
			{"what are the main data structures: the server, a connected client, an object", "README.md, server.h", []string{
				"src/server.h#redisServer", "src/server.h#client", "src/server.h#redisObject",
			}},
		}},
		{"fastify", "JavaScript", true, npm(corpora.Pack{Name: "fastify", Version: "5.12.8", Integrity: "sha512-moP8exb2sCHLUbJkwp+I6C0padhy4D8lp0SdmzY7HhSdZuqm7O/u3o2aq7u8okaQ//33QDzj3G/u+FsSdB8Qzw=="}), ".", []mapQuestion{
			{"where is a request routed", "docs/Reference/Lifecycle.md, docs/Reference/Routes.md", []string{
				"lib/route.js#buildRouting", "lib/handle-request.js#handleRequest", "lib/four-oh-four.js#fourOhFour",
			}},
			{"how is the schema of a request validated", "docs/Reference/Validation-and-Serialization.md", []string{
				"lib/validation.js#validate", "lib/validation.js#compileSchemasForValidation", "lib/schema-controller.js#buildSchemaController",
			}},
			{"how are hooks registered and run", "docs/Reference/Hooks.md", []string{
				"lib/hooks.js#Hooks", "lib/hooks.js#buildHooks", "lib/hooks.js#hookRunnerGenerator", "lib/hooks.js#hookRunnerApplication",
			}},
			{"how is a reply serialized and sent", "docs/Reference/Reply.md", []string{
				"lib/reply.js#Reply", "lib/reply.js#serialize", "lib/reply.js#onSendEnd", "lib/reply.js#preSerializationHook",
			}},
			{"how is the body parsed by its content type", "docs/Reference/ContentTypeParser.md", []string{
				"lib/content-type-parser.js#ContentTypeParser", "lib/content-type-parser.js#rawBody", "lib/content-type-parser.js#addContentTypeParser",
			}},
			{"what handles an error that a handler throws", "docs/Reference/Errors.md", []string{
				"lib/error-handler.js#handleError", "lib/error-handler.js#defaultErrorHandler", "lib/error-handler.js#buildErrorHandler",
			}},
		}},
		{"django", "Python", true, debian("python3-django"), "usr/lib/python3/dist-packages", []mapQuestion{
			{"how is a request routed to a view by its URL", "documentation, How Django processes a request", []string{
				"django/urls/resolvers.py#URLResolver", "django/urls/resolvers.py#URLPattern", "django/urls/resolvers.py#URLResolver.resolve", "django/core/handlers/base.py#BaseHandler",
			}},
			{"where does middleware run around a request", "documentation, Middleware", []string{
				"django/core/handlers/base.py#BaseHandler.load_middleware", "django/core/handlers/base.py#BaseHandler.get_response", "django/utils/deprecation.py#MiddlewareMixin", "django/core/handlers/wsgi.py#WSGIHandler",
			}},
			{"how does a query set become SQL", "documentation, QuerySet API reference", []string{
				"django/db/models/query.py#QuerySet", "django/db/models/sql/query.py#Query", "django/db/models/sql/compiler.py#SQLCompiler", "django/db/models/sql/compiler.py#SQLCompiler.as_sql",
			}},
			{"how is a form validated", "documentation, Form and field validation", []string{
				"django/forms/forms.py#BaseForm", "django/forms/forms.py#BaseForm.is_valid", "django/forms/forms.py#BaseForm.full_clean", "django/forms/fields.py#Field.clean",
			}},
			{"how are migrations detected, loaded and executed", "documentation, Migrations", []string{
				"django/db/migrations/autodetector.py#MigrationAutodetector", "django/db/migrations/executor.py#MigrationExecutor", "django/db/migrations/loader.py#MigrationLoader", "django/db/migrations/migration.py#Migration",
			}},
			{"how is a template compiled and rendered", "documentation, The Django template language: for Python programmers", []string{
				"django/template/base.py#Template", "django/template/base.py#Lexer", "django/template/base.py#Parser", "django/template/base.py#Node", "django/template/engine.py#Engine",
			}},
		}},
		{"@reduxjs/toolkit", "TypeScript", true, npm(corpora.Pack{Name: "@reduxjs/toolkit", Version: "2.14.0", Integrity: "sha512-m/PxMwRe0xLL6XUsAgy0YjInklHcfi9uMwFhJk+QINqjxqPvyc89T5cMjszA5bDmTE0gwGc7zr9LRO4gL+mhaw=="}), "src", []mapQuestion{
			{"how is a store configured with middleware", "documentation, configureStore", []string{
				"configureStore.ts#configureStore", "getDefaultMiddleware.ts#buildGetDefaultMiddleware", "getDefaultEnhancers.ts#buildGetDefaultEnhancers",
			}},
			{"how does a slice create reducers and actions", "documentation, createSlice, createReducer, createAction", []string{
				"createSlice.ts#buildCreateSlice", "createReducer.ts#createReducer", "createAction.ts#createAction",
			}},
			{"how does an async thunk report pending, fulfilled and rejected", "documentation, createAsyncThunk", []string{
				"createAsyncThunk.ts#createAsyncThunk", "createAsyncThunk.ts#miniSerializeError", "createAsyncThunk.ts#AsyncThunk",
			}},
			{"how do listeners react to actions", "documentation, createListenerMiddleware", []string{
				"listenerMiddleware/index.ts#createListenerMiddleware", "listenerMiddleware/index.ts#addListener", "listenerMiddleware/types.ts#ListenerEffectAPI", "listenerMiddleware/types.ts#ListenerMiddlewareInstance",
			}},
			{"how is an API with its endpoints defined, and data fetched", "documentation, createApi, fetchBaseQuery", []string{
				"query/createApi.ts#buildCreateApi", "query/fetchBaseQuery.ts#fetchBaseQuery", "query/core/module.ts#coreModule", "query/endpointDefinitions.ts#EndpointBuilder",
			}},
			{"where is cached data invalidated by tags", "documentation, Automated Re-fetching", []string{
				"query/core/buildMiddleware/invalidationByTags.ts#buildInvalidationByTagsHandler", "query/endpointDefinitions.ts#calculateProvidedBy", "query/core/buildMiddleware/index.ts#buildMiddleware",
			}},
		}},

		{"bleve", "Go", false, goFiles("github.com/blevesearch/bleve/v2", "v2.6.1"), ".", []mapQuestion{
			{"how does a search run over the index", "index.go", []string{
				"index_impl.go#indexImpl.SearchInContext", "search/collector/topn.go#TopNCollector", "search/query/query.go#Query", "search_no_knn.go#SearchRequest",
			}},
			{"how is a document mapped and analyzed", "README.md", []string{
				"mapping/index.go#IndexMappingImpl", "mapping/document.go#DocumentMapping", "document/document.go#Document",
			}},
			{"how does scorch persist and merge segments", "index/scorch/README.md", []string{
				"index/scorch/scorch.go#Scorch", "index/scorch/persister.go#Scorch.persisterLoop", "index/scorch/merge.go#Scorch.mergerLoop", "index/scorch/introducer.go#Scorch.introducerLoop",
			}},
		}},
		{"tornado", "Python", false, debian("python3-tornado"), "usr/lib/python3/dist-packages", []mapQuestion{
			{"how is a request routed to a handler", "documentation, tornado.routing", []string{
				"tornado/routing.py#Router", "tornado/routing.py#Rule", "tornado/web.py#Application", "tornado/web.py#RequestHandler",
			}},
			{"where is the event loop", "documentation, tornado.ioloop", []string{
				"tornado/ioloop.py#IOLoop", "tornado/platform/asyncio.py#BaseAsyncIOLoop", "tornado/ioloop.py#PeriodicCallback",
			}},
			{"how is a template rendered", "documentation, tornado.template", []string{
				"tornado/template.py#Template", "tornado/template.py#Loader", "tornado/template.py#Template.generate", "tornado/web.py#RequestHandler.render",
			}},
		}},
		{"ajv", "TypeScript", false, installedFiles("ajv"), "lib", []mapQuestion{
			{"how is a schema compiled into a function that validates", "documentation, Code generation", []string{
				"compile/index.ts#compileSchema", "compile/index.ts#SchemaEnv", "compile/validate/index.ts#validateFunctionCode", "core.ts#Ajv",
			}},
			{"how are keywords defined", "documentation, User-defined keywords", []string{
				"core.ts#Ajv.addKeyword", "compile/validate/keyword.ts#funcKeywordCode", "compile/validate/keyword.ts#macroKeywordCode",
			}},
			{"how are references resolved", "documentation, Combining schemas with $ref", []string{
				"compile/index.ts#resolveRef", "compile/index.ts#resolveSchema", "compile/resolve.ts#getSchemaRefs", "compile/resolve.ts#resolveUrl",
			}},
		}},
		{"lua", "C", false, debianSource("lua5.4"), "lua-*", []mapQuestion{
			{"how is source code compiled", "the reference manual, and the heads of the files", []string{
				"src/lparser.c#luaY_parser", "src/llex.c#luaX_next", "src/ldo.c#luaD_protectedparser",
			}},
			{"how is bytecode executed", "the heads of the files", []string{
				"src/lvm.c#luaV_execute", "src/ldo.c#luaD_precall", "src/ldo.c#luaD_call",
			}},
			{"how does the garbage collector work", "the heads of the files", []string{
				"src/lgc.c#luaC_step", "src/lgc.c#singlestep", "src/lgc.c#propagatemark", "src/lgc.c#luaC_fullgc",
			}},
		}},
	}
}
