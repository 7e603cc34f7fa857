//! One network of each kind runs, conserves cells, and gives the same bytes from both schedulers.
use cellway_kernel::time::Time;
use cellway_models::network::Network;

const DOC: &str = r#"{"version":1,"seed":1,
 "switches":{"s1":{}}, "hosts":{"a":{},"b":{}},
 "links":[
  {"name":"a->s1","from":"a","to":"s1","rate":622080000,"delay":52481996},
  {"name":"s1->a","from":"s1","to":"a","rate":622080000,"delay":52481996},
  {"name":"s1->b","from":"s1","to":"b","rate":622080000,"delay":52481996},
  {"name":"b->s1","from":"b","to":"s1","rate":622080000,"delay":52481996}],
 "vcs":{"vc1":{"from":"a","to":["b"],"links":["a->s1","s1->b"],"traffic":{"kind":"greedy"},
   "credit":{"a->s1":{"kind":"n23","n2":10,"n3":155},"s1->b":{"kind":"n23","n2":10,"n3":51}}}},
 "probes":[{"kind":"trace","link":"s1->b"},{"kind":"queue","node":"s1","vc":"vc1"},{"kind":"credit","link":"s1->b","vc":"vc1"}]}"#;

#[test]
fn greedy_n23() {
    let mut n = Network::from_json(DOC).unwrap();
    let mut m = Network::from_json(DOC).unwrap();
    let end = Time::from_ps(681_584 * 20_000);
    n.run_until(end);
    m.run_one_step_at_a_time(end);
    let (a, b) = (n.tables(), m.tables());
    assert!(a == b);
}
