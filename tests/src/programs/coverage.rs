//! Which variants of the stack IR a program has: each enum of the IR, read through its own serialization.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{self, Deserialize, Visitor};
use serde::ser::{self, Serialize};

/// `Enum::Variant`, for each enum in a value.
pub fn variants_in(value: &impl Serialize) -> BTreeSet<String> {
    let mut found = Recorder::default();
    value.serialize(&mut found).expect("recording does not fail");
    found.0
}

/// `Enum::Variant` for all variants of an enum.
pub fn variants_of<'d, T: Deserialize<'d>>() -> BTreeSet<String> {
    let Err(Listed(all)) = T::deserialize(Lister) else { return BTreeSet::new() };
    all.into_iter().collect()
}

/// Records variants, and those in their contents.
#[derive(Default)]
struct Recorder(BTreeSet<String>);

impl Recorder {
    fn note(&mut self, name: &str, variant: &str) {
        self.0.insert(format!("{name}::{variant}"));
    }
}

/// Recording does not fail.
#[derive(Debug)]
struct Never;

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("recording failed")
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: fmt::Display>(_: T) -> Never {
        Never
    }
}

macro_rules! ignored {
    ($($name:ident: $ty:ty),*) => { $(
        fn $name(self, _: $ty) -> Result<(), Never> {
            Ok(())
        }
    )* };
}

impl<'r> ser::Serializer for &'r mut Recorder {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = &'r mut Recorder;
    type SerializeTuple = &'r mut Recorder;
    type SerializeTupleStruct = &'r mut Recorder;
    type SerializeTupleVariant = &'r mut Recorder;
    type SerializeMap = &'r mut Recorder;
    type SerializeStruct = &'r mut Recorder;
    type SerializeStructVariant = &'r mut Recorder;

    ignored!(serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32,
        serialize_f64: f64, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str);

    fn serialize_none(self) -> Result<(), Never> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Never> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, name: &'static str, _: u32, variant: &'static str) -> Result<(), Never> {
        self.note(name, variant);
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        self.note(name, variant);
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Never> {
        self.note(name, variant);
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Never> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Never> {
        self.note(name, variant);
        Ok(self)
    }
}

macro_rules! elements {
    ($($part:ident, $name:ident);*) => { $(
        impl ser::$part for &mut Recorder {
            type Ok = ();
            type Error = Never;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Never> {
                Ok(())
            }
        }
    )* };
}
elements!(SerializeSeq, serialize_element; SerializeTuple, serialize_element; SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field);

macro_rules! fields {
    ($($part:ident),*) => { $(
        impl ser::$part for &mut Recorder {
            type Ok = ();
            type Error = Never;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Never> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Never> {
                Ok(())
            }
        }
    )* };
}
fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for &mut Recorder {
    type Ok = ();
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Never> {
        Ok(())
    }
}

/// Reads nothing: fails with the list of an enum's variants.
struct Lister;

#[derive(Debug)]
struct Listed(Vec<String>);

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Listed {}

impl de::Error for Listed {
    fn custom<T: fmt::Display>(_: T) -> Listed {
        Listed(Vec::new())
    }
}

impl<'de> de::Deserializer<'de> for Lister {
    type Error = Listed;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Listed> {
        Err(Listed(Vec::new()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Listed> {
        Err(Listed(variants.iter().map(|variant| format!("{name}::{variant}")).collect()))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}
