(comment) @comment
(block_comment) @comment

(import_declaration) @import

(package_clause name: (_) @name body: (_)? @body) @module

(package_object name: (_) @name body: (_)? @body) @object
(object_definition (annotation)* @attribute name: (_) @name body: (_)? @body) @object
(class_definition (annotation)* @attribute name: (_) @name body: (_)? @body) @class
(trait_definition (annotation)* @attribute name: (_) @name body: (_)? @body) @interface
(enum_definition (annotation)* @attribute name: (_) @name body: (_) @body) @enum
(enum_case_definitions [(simple_enum_case name: (_) @name) (full_enum_case name: (_) @name)] @enumCase) @outer
(type_definition (annotation)* @attribute name: (_) @name) @typeAlias

(extension_definition . (type_parameters)? . (parameters . (parameter type: (_) @name) .)) @extension
(given_definition (annotation)* @attribute name: (_) @name) @constant
(given_definition (annotation)* @attribute !name return_type: [(type_identifier) (generic_type)] @name) @constant
(given_definition (annotation)* @attribute name: (_) @name body: (with_template_body) @body) @object
(given_definition (annotation)* @attribute !name return_type: [(type_identifier) (generic_type)] @name body: (with_template_body) @body) @object

(function_declaration (annotation)* @attribute name: (_) @name parameters: (type_parameters)? parameters: (parameters)* @parameters) @function
(function_definition (annotation)* @attribute name: (_) @name parameters: (type_parameters)? parameters: (parameters)* @parameters body: (block) @body) @function
(function_definition (annotation)* @attribute name: (_) @name parameters: (type_parameters)? parameters: (parameters)* @parameters "=" @body) @function

(block) @local
(indented_block) @local
(case_clause) @local

(class_parameter ["val" "var"] name: (_) @name) @property
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @name) @property))

(val_declaration (annotation)* @attribute name: (_) @name) @constant
(var_declaration (annotation)* @attribute name: (_) @name) @variable
(val_definition (annotation)* @attribute pattern: [(identifier) (operator_identifier)] @name) @constant
(var_definition (annotation)* @attribute pattern: [(identifier) (operator_identifier)] @name) @variable
(val_definition (annotation)* @attribute pattern: (identifiers (identifier) @name @constant)) @outer
(var_definition (annotation)* @attribute pattern: (identifiers (identifier) @name @variable)) @outer
(val_definition (annotation)* @attribute pattern: (tuple_pattern (identifier) @name @constant)) @outer
(var_definition (annotation)* @attribute pattern: (tuple_pattern (identifier) @name @variable)) @outer

(val_definition (annotation)* @attribute pattern: (identifier) @name value: [
  (lambda_expression "=>" @body)
  (block . (lambda_expression "=>" @body) .)
  (indented_block . (lambda_expression "=>" @body) .)
  (case_block) @body]) @lambda
(var_definition (annotation)* @attribute pattern: (identifier) @name value: [
  (lambda_expression "=>" @body)
  (block . (lambda_expression "=>" @body) .)
  (indented_block . (lambda_expression "=>" @body) .)
  (case_block) @body]) @lambda

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression field: (identifier) @call)))
(instance_expression (type_identifier) @call)
(instance_expression (generic_type type: (type_identifier) @call))
