(comment) @comment
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
(future_import_statement "__future__" @import)

(decorator) @attribute
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(type_alias_statement left: (type [(identifier) @name (generic_type (identifier) @name)])) @typeAlias

(expression_statement (assignment left: [
  (identifier) @name
  (pattern_list [(identifier) @name (list_splat_pattern (identifier) @name) (tuple_pattern (identifier) @name)])
  (tuple_pattern (identifier) @name)
  (list_pattern (identifier) @name)
]) @variable) @outer
(expression_statement (assignment left: (identifier) @name right: (lambda body: (_) @body)) @lambda) @outer
(expression_statement (assignment right: (assignment left: (identifier) @name) @variable))
(expression_statement (assignment right: (assignment right: (assignment left: (identifier) @name) @variable)))
(lambda) @local

(call function: [(identifier) @call (attribute attribute: (identifier) @call)])
