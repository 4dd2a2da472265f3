//! Rows as Apache Parquet.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::Context;
use fanorona_tablebase::Listed;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::destination::Destination;

const SCHEMA: &str = "message positions {
    REQUIRED BYTE_ARRAY position (UTF8);
    REQUIRED BYTE_ARRAY slice (UTF8);
    REQUIRED BYTE_ARRAY value (UTF8);
    OPTIONAL INT32 dtw (INTEGER(16, false));
    REQUIRED INT32 weight (INTEGER(8, false));
}";

/// The number of rows of a group, which are in memory together.
const GROUP: usize = 1 << 17;

pub(super) struct ParquetWriter<'w> {
    writer: SerializedFileWriter<Out<'w>>,
    file: Destination<'w>,
    slices: Vec<ByteArray>,
    rows: Vec<Listed>,
}

/// The file, as a type of known size.
struct Out<'w>(&'w mut (dyn Write + Send));

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<'w> ParquetWriter<'w> {
    pub(super) fn new(
        out: &'w mut (dyn Write + Send),
        file: Destination<'w>,
    ) -> anyhow::Result<Self> {
        let position = ColumnPath::from("position");
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            // Positions differ little from the one before, and none comes twice.
            .set_column_dictionary_enabled(position.clone(), false)
            .set_column_encoding(position, Encoding::DELTA_BYTE_ARRAY)
            .build();
        let schema = Arc::new(parse_message_type(SCHEMA).expect("the schema is well formed"));
        let writer = SerializedFileWriter::new(Out(out), schema, Arc::new(properties));
        let writer = writer.with_context(|| file.not_written())?;
        Ok(Self { writer, file, slices: Vec::new(), rows: Vec::new() })
    }

    pub(super) fn write(&mut self, slice: &str, mut rows: &[Listed]) -> anyhow::Result<()> {
        let slice = ByteArray::from(slice);
        while !rows.is_empty() {
            let (here, later) = rows.split_at(rows.len().min(GROUP - self.rows.len()));
            self.slices.extend(here.iter().map(|_| slice.clone()));
            self.rows.extend(here);
            rows = later;
            if self.rows.len() == GROUP {
                self.write_group()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        self.writer.close().with_context(|| self.file.not_written())?;
        Ok(())
    }

    fn write_group(&mut self) -> anyhow::Result<()> {
        let written = self.try_write_group();
        self.slices.clear();
        self.rows.clear();
        written.with_context(|| self.file.not_written())
    }

    fn try_write_group(&mut self) -> Result<(), ParquetError> {
        let rows = &self.rows;
        let texts = |text: &dyn Fn(&Listed) -> String| -> Vec<ByteArray> {
            rows.iter().map(|row| ByteArray::from(text(row).into_bytes())).collect()
        };
        let positions = texts(&|row| row.position.to_string());
        let values = texts(&|row| row.value.value.to_string());
        let distances: Vec<i32> =
            rows.iter().filter_map(|row| row.value.dtw.map(i32::from)).collect();
        let has_distance: Vec<i16> =
            rows.iter().map(|row| i16::from(row.value.dtw.is_some())).collect();
        let weights: Vec<i32> = rows.iter().map(|row| row.weight.into()).collect();
        let mut group = self.writer.next_row_group()?;
        write_column::<ByteArrayType>(&mut group, &positions, None)?;
        write_column::<ByteArrayType>(&mut group, &self.slices, None)?;
        write_column::<ByteArrayType>(&mut group, &values, None)?;
        write_column::<Int32Type>(&mut group, &distances, Some(&has_distance))?;
        write_column::<Int32Type>(&mut group, &weights, None)?;
        group.close()?;
        Ok(())
    }
}

/// Writes the next column of a group. `levels` say which rows have a value, if some have none.
fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Out<'_>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("the schema has five columns");
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
