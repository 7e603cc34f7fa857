//! Results as plain columns: typed, named, with a unit. The Python crate turns them into Arrow.

use std::collections::HashMap;

/// The values of a column. Equal means equal to the bit: NaN equals NaN.
#[derive(Clone, Debug)]
pub enum Values {
    /// Counts, picoseconds, numbers of things.
    U64(Vec<u64>),
    /// Measured quantities; NaN where there is none.
    F64(Vec<f64>),
    /// Names.
    Text(Names),
}

impl PartialEq for Values {
    fn eq(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::U64(a), Values::U64(b)) => a == b,
            (Values::F64(a), Values::F64(b)) => a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits())),
            (Values::Text(a), Values::Text(b)) => a == b,
            _ => false,
        }
    }
}

/// A column of names, each different name stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    different: IndexSet,
    rows: Vec<Option<u32>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct IndexSet {
    list: Vec<String>,
    places: HashMap<String, u32>,
}

impl Names {
    fn push(&mut self, name: Option<&str>) {
        let place = name.map(|name| match self.different.places.get(name) {
            Some(&place) => place,
            None => {
                let place = self.different.list.len() as u32;
                self.different.list.push(name.to_owned());
                self.different.places.insert(name.to_owned(), place);
                place
            }
        });
        self.rows.push(place);
    }

    /// The names, row by row; `None` where there is none.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.rows.iter().map(|row| row.map(|place| self.different.list[place as usize].as_str()))
    }
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name, in snake case.
    pub name: &'static str,
    /// Unit, `1` for pure numbers, empty for names.
    pub unit: &'static str,
    /// Values, one for each row.
    pub values: Values,
}

/// A table of results; its columns have equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name, for example `queues`.
    pub name: &'static str,
    /// Columns in the order of display.
    pub columns: Vec<Column>,
}

impl Table {
    /// An empty table.
    pub fn new(name: &'static str) -> Table {
        Table { name, columns: Vec::new() }
    }

    /// Adds a column of counts.
    #[must_use]
    pub fn counts(mut self, name: &'static str, unit: &'static str, values: impl IntoIterator<Item = u64>) -> Table {
        self.columns.push(Column { name, unit, values: Values::U64(values.into_iter().collect()) });
        self
    }

    /// Adds a column of measured quantities.
    #[must_use]
    pub fn numbers(mut self, name: &'static str, unit: &'static str, values: impl IntoIterator<Item = f64>) -> Table {
        self.columns.push(Column { name, unit, values: Values::F64(values.into_iter().collect()) });
        self
    }

    /// Adds a column of names.
    #[must_use]
    pub fn names<S: AsRef<str>>(self, name: &'static str, values: impl IntoIterator<Item = S>) -> Table {
        self.optional_names(name, values.into_iter().map(Some))
    }

    /// Adds a column of names that may be missing.
    #[must_use]
    pub fn optional_names<S: AsRef<str>>(
        mut self,
        name: &'static str,
        values: impl IntoIterator<Item = Option<S>>,
    ) -> Table {
        let mut names = Names::default();
        for value in values {
            names.push(value.as_ref().map(AsRef::as_ref));
        }
        self.columns.push(Column { name, unit: "", values: Values::Text(names) });
        self
    }

    /// The column called `name`.
    ///
    /// # Panics
    /// When there is none.
    pub fn column(&self, name: &str) -> &Values {
        match self.columns.iter().find(|c| c.name == name) {
            Some(c) => &c.values,
            None => panic!("table {} has no column {name}", self.name),
        }
    }

    /// The counts in column `name`.
    ///
    /// # Panics
    /// When there is no such column of counts.
    pub fn u64s(&self, name: &str) -> &[u64] {
        match self.column(name) {
            Values::U64(v) => v,
            other => panic!("column {name} holds no counts: {other:?}"),
        }
    }

    /// The quantities in column `name`.
    ///
    /// # Panics
    /// When there is no such column of quantities.
    pub fn f64s(&self, name: &str) -> &[f64] {
        match self.column(name) {
            Values::F64(v) => v,
            other => panic!("column {name} holds no quantities: {other:?}"),
        }
    }

    /// The names in column `name`, empty where missing.
    ///
    /// # Panics
    /// When there is no such column of names.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        match self.column(name) {
            Values::Text(v) => v.iter().map(|name| name.unwrap_or("")).collect(),
            other => panic!("column {name} holds no names: {other:?}"),
        }
    }
}
