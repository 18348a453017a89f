[(line_comment) (block_comment)] @comment

(source_file (string_literal) @attribute)
(module_definition (string_literal) @attribute)

(using_statement (identifier) @import)
(import_statement (identifier) @import)
(import_statement (selected_import . (identifier) @import))
(using_statement (selected_import . (identifier) @import))

(module_definition name: (identifier) @name . (_) @body) @module
(abstract_definition (type_head (identifier) @name)) @interface
(abstract_definition (type_head (binary_expression . (identifier) @name))) @interface
(abstract_definition (type_head (binary_expression . (parametrized_type_expression . (identifier) @name)))) @interface
(primitive_definition (type_head (identifier) @name)) @struct
(struct_definition (type_head (identifier) @name)) @struct
(struct_definition (type_head (parametrized_type_expression . (identifier) @name))) @struct
(struct_definition (type_head (binary_expression . (identifier) @name))) @struct
(struct_definition (type_head (binary_expression . (parametrized_type_expression . (identifier) @name)))) @struct
(struct_definition (typed_expression . (identifier) @name) @property)
(struct_definition (identifier) @name @property)

(source_file (const_statement (assignment . (identifier) @name)) @constant)
(module_definition (const_statement (assignment . (identifier) @name)) @constant)

(function_definition (signature (call_expression . (identifier) @name))) @function
(function_definition (signature (call_expression . (field_expression value: (_) (identifier) @name)))) @function
(function_definition (signature (typed_expression . (call_expression . (identifier) @name)))) @function
(function_definition (signature (where_expression . (call_expression . (identifier) @name)))) @function
(function_definition (signature (where_expression . (call_expression . (field_expression value: (_) (identifier) @name))))) @function
(function_definition (signature (where_expression . (typed_expression . (call_expression . (identifier) @name))))) @function
(macro_definition (signature (call_expression . (identifier) @name))) @macro
(assignment . (call_expression . (identifier) @name) . (operator) @body) @function
(assignment . (call_expression . (field_expression value: (_) (identifier) @name)) . (operator) @body) @function
(assignment . (typed_expression . (call_expression . (identifier) @name)) . (operator) @body) @function
(assignment . (where_expression . (call_expression . (identifier) @name)) . (operator) @body) @function
(assignment . (identifier) @name (operator) (arrow_function_expression) @body) @lambda

(call_expression . (identifier) @call)
(call_expression . (field_expression value: (_) (identifier) @call))
