// JSX beside types.
import * as React from 'react';
type Props = { title?: string; onPress(): void; render: () => JSX.Element };
export const Button: React.FC<Props> = ({ title = "it's", onPress, ...rest }) => {
  const generic = <T,>(x: T) => x, generic2 = <T extends {}>(x: T) => x, compare = a < b, typed = useState<string | null>(null);
  return cond ? <View {...rest} style={{ a: 1, b() { return <b>{`${1}`}</b> } }} onPress={() => { onPress() }} data-x-y="don't &quot; {" a:b='"'>
      it's text with "quotes, 'apostrophes, ` and // no comment /* neither */ function no() {'}'}
      {/* a comment with { and < */}
      {items.map((item) => <Item<string> key={item} {...item} />)}
      <></>
      <Foo.Bar.Baz render={function Named() { return <a href="//x">a</a> }}>{...children}</Foo.Bar.Baz> a &lt; b {a < b}
      <input disabled value=<br/> />
    </View> : <>a {"}"} b</>;
};
export function App(): JSX.Element { return <Button title="x" render={() => <p>function no() {"{"} </p>} /> }
export default React.memo(function Memo(p: Props) { const inner = () => <i/>; return inner() / 2 })
const el = <div
  // a comment
  a="1" /* another */ b
>{ // and one here
  x}</div>, num = 1, cls = <T,>(a: T): a is T => { return true }
class C extends React.Component<Props, { s: string }> { state = { s: "" }; render() { return <C.D>{this.state.s}</C.D> } }
