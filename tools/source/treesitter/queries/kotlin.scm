[(line_comment) (block_comment)] @comment
(annotation) @attribute

(package_header (qualified_identifier) @name) @module
(import (qualified_identifier) @import)

(class_declaration "class" name: (identifier) @name) @class
(class_declaration "class" name: (identifier) @name (class_body) @body) @class
(class_declaration (modifiers (class_modifier "annotation")) name: (identifier) @name) @interface
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration "interface" name: (identifier) @name (class_body) @body) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @enum
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name (enum_class_body) @body) @enum
(object_declaration name: (identifier) @name (class_body)? @body) @object
(companion_object "object" @name (class_body)? @body) @object
(companion_object name: (identifier) @name (class_body)? @body) @object
(enum_entry (identifier) @name (class_body)? @body) @enumCase
(type_alias type: (identifier) @name) @typeAlias

(function_declaration name: (identifier) @name (function_value_parameters) @parameters (function_body)? @body) @function
(function_declaration (_) @container . "." . name: (identifier) @name (function_value_parameters) @parameters (function_body)? @body) @function
(secondary_constructor "constructor" @name (function_value_parameters) @parameters (block)? @body) @initializer
(primary_constructor "constructor" @name (class_parameters) @parameters) @initializer
(anonymous_initializer "init" @name (block) @body) @initializer
(getter "get" @name (function_body) @body) @accessor
(setter "set" @name (function_body) @body) @accessor

(class_parameter ["val" "var"] . (identifier) @name) @property
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @variable
(property_declaration (variable_declaration (identifier) @name) [(getter) (setter)]? @body) @variable
(property_declaration (_) @container . "." . (variable_declaration (identifier) @name) [(getter) (setter)]? @body) @variable
(property_declaration (variable_declaration (identifier) @name) "=" . [(lambda_literal) @body (anonymous_function (function_body) @body)]) @lambda
(object_literal (class_body) @anonymous)
(lambda_literal) @local

(call_expression . (identifier) @call)
(call_expression . (navigation_expression (identifier) @call .))
(call_expression . (unary_expression argument: (identifier) @call))
(delegation_specifier (constructor_invocation (user_type (identifier) @call .)))
