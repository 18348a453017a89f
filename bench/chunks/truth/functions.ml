(* Prints the functions of OCaml files by the parser of the compiler: name, first line, last line and file, separated by tabs.
   Functions within expressions are left out. *)
open Parsetree

let rec is_function e =
  match e.pexp_desc with
  | Pexp_fun _ | Pexp_function _ -> true
  | Pexp_newtype (_, e) | Pexp_constraint (e, _) -> is_function e
  | _ -> false

let rec pattern p =
  match p.ppat_desc with
  | Ppat_var name -> Some name.txt
  | Ppat_constraint (p, _) -> pattern p
  | _ -> None

let line (p : Lexing.position) = p.pos_lnum

let print file name (l : Location.t) = Printf.printf "%s\t%d\t%d\t%s\n" name (line l.loc_start) (line l.loc_end) file

let iterator file =
  let binding _ b =
    match pattern b.pvb_pat with
    | Some name when is_function b.pvb_expr -> print file name b.pvb_loc
    | _ -> ()
  in
  { Ast_iterator.default_iterator with value_binding = binding; expr = (fun _ _ -> ()) }

let () =
  try
    while true do
      let file = input_line stdin in
      let channel = open_in_bin file in
      let lexbuf = Lexing.from_channel channel in
      (try
         let tree = Parse.implementation lexbuf in
         Printf.printf "-\t0\t0\t%s\n" file;
         let it = iterator file in
         it.structure it tree
       with _ -> ());
      close_in channel
    done
  with End_of_file -> ()
