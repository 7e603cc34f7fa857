//! ABR end systems of ATM Forum Traffic Management 4.0 (af-tm-0056.000), section 5.10.
//!
//! - [`rm`]: contents of RM cells;
//! - [`source`], [`destination`]: behaviours by the numbers of the specification;
//! - [`uili`]: use-it-or-lose-it policies, the family behind source rule 13.

pub mod destination;
pub mod rm;
pub mod source;
pub mod uili;

use cellway_kernel::error::SpecError;
use cellway_kernel::time::Duration;
use cellway_kernel::units::{BitRate, CellRate, Cells, Fraction};
use destination::{Destination, Overtaken, Period};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use source::Source;
use uili::{UiliContext, UiliSpec};

/// ABR service of one direction of a VC: parameters of its source, and of the destination that turns its RM cells
/// round.
///
/// Names, defaults and ranges are those of TM 4.0, sections 5.10.2 and 5.10.3; MCR is that of the VC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Abr {
    /// Peak cell rate: the source never sends faster. Default: the rate of its host's line.
    #[serde(default)]
    pub pcr: Option<CellRate>,
    /// Initial cell rate: allowed at first, and after idle times longer than ADTF; MCR to PCR. Lowered to TBE / FRTT
    /// where that is less, as TM 4.0 has it. Default: PCR.
    #[serde(default)]
    pub icr: Option<CellRate>,
    /// Rate increase factor: a BRM cell raises ACR by at most RIF x PCR; a power of two, 1/32768 to 1 (where only the
    /// explicit rate bounds it; AIR of the UILI paper). Default: 1/16.
    #[serde(default = "sixteenth")]
    pub rif: Fraction,
    /// Rate decrease factor: a BRM cell with CI lowers ACR by RDF x ACR; a power of two, 1/32768 to 1. Default: 1/16.
    #[serde(default = "sixteenth")]
    pub rdf: Fraction,
    /// Cells for each FRM cell, itself included; a power of two, 2 to 256. Default: 32.
    #[serde(default = "nrm")]
    pub nrm: u32,
    /// In-rate cells after an FRM cell before Trm may call for the next, at least 1. Default: 2.
    #[serde(default = "mrm")]
    pub mrm: u32,
    /// Time after which an active source sends an FRM cell though fewer than Nrm cells went. Default: 100 ms.
    #[serde(default = "trm")]
    pub trm: Duration,
    /// ACR decrease time factor: after so long without an FRM cell ACR falls to ICR; 10 ms to 10.23 s, or `null` for
    /// never. Default: 500 ms.
    #[serde(default = "adtf")]
    pub adtf: Option<Duration>,
    /// Cutoff decrease factor: each FRM cell beyond CRM without an answer lowers ACR by CDF x ACR; a power of two,
    /// 1/64 to 1, or 0, which disables rule 6. Default: 1/16.
    #[serde(default = "sixteenth")]
    pub cdf: Fraction,
    /// FRM cells that may be sent without an answer before rule 6 acts, at least 1. Default: TBE / Nrm, rounded up.
    #[serde(default)]
    pub crm: Option<u32>,
    /// Transient buffer exposure: cells that the network must be ready for before the first answer; at least 1.
    /// Default: 16 777 215 cells, as good as without limit.
    #[serde(default = "tbe")]
    pub tbe: Cells,
    /// Fixed round-trip time. Default: that of the route both ways, with one cell time for each link.
    #[serde(default)]
    pub frtt: Option<Duration>,
    /// Rate of out-of-rate FRM cells, which a source sends while ACR is less than this; above 0. Default: 10 cells/s.
    #[serde(default = "tcr")]
    pub tcr: CellRate,
    /// Rates in RM cells are rounded down to what the 16 bits of the real cell can say. Default: false, exact.
    #[serde(default)]
    pub encoded_rates: bool,
    /// Use-it-or-lose-it policy of the source. Default: none.
    #[serde(default)]
    pub uili: UiliSpec,
    /// What the destination does with a BRM cell that has not left when the next FRM cell comes. Default: out of rate.
    #[serde(default)]
    pub overtaken: Overtaken,
    /// When the destination is congested itself: it sets CI in what it turns round, and sends BRM cells of its own
    /// (destination rules 2 and 5). Default: never.
    #[serde(default)]
    pub congested: Vec<Period>,
}

impl Default for Abr {
    fn default() -> Abr {
        Abr {
            pcr: None,
            icr: None,
            rif: sixteenth(),
            rdf: sixteenth(),
            nrm: nrm(),
            mrm: mrm(),
            trm: trm(),
            adtf: adtf(),
            cdf: sixteenth(),
            crm: None,
            tbe: tbe(),
            frtt: None,
            tcr: tcr(),
            encoded_rates: false,
            uili: UiliSpec::default(),
            overtaken: Overtaken::default(),
            congested: Vec::new(),
        }
    }
}

fn sixteenth() -> Fraction {
    Fraction(1.0 / 16.0)
}

fn nrm() -> u32 {
    32
}

fn mrm() -> u32 {
    2
}

fn trm() -> Duration {
    Duration::from_ms(100)
}

#[expect(clippy::unnecessary_wraps, reason = "the default of an optional parameter")]
fn adtf() -> Option<Duration> {
    Some(Duration::from_ms(500))
}

fn tbe() -> Cells {
    Cells(16_777_215)
}

fn tcr() -> CellRate {
    CellRate::new(10, 1)
}

/// What the network builder knows of one direction of an ABR VC.
#[derive(Clone, Copy, Debug)]
pub struct AbrContext {
    /// Rate of the source's line.
    pub line: BitRate,
    /// Minimum rate of the contract.
    pub mcr: Option<CellRate>,
    /// Both ways, without queues.
    pub round_trip: Duration,
}

/// The parameters of a source in numbers, each within its range; first those that every cell asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Limits {
    /// Cells.
    pub nrm: u32,
    /// Cells.
    pub mrm: u32,
    /// Between out-of-rate FRM cells.
    pub tcr: f64,
    /// Time between FRM cells.
    pub trm: Duration,
    /// [cells/s]
    pub pcr: f64,
    /// [cells/s]
    pub mcr: f64,
    /// [cells/s], after the rule TBE / FRTT.
    pub icr: f64,
    /// Fraction of PCR.
    pub rif: f64,
    /// Fraction of ACR.
    pub rdf: f64,
    /// Idle time that ends a rate; `None` never does.
    pub adtf: Option<Duration>,
    /// Fraction of ACR.
    pub cdf: f64,
    /// FRM cells.
    pub crm: u32,
}

fn power_of_two(name: &str, value: f64, least: f64) -> Result<f64, SpecError> {
    // A power of two has an empty mantissa.
    let exact = value.to_bits() & ((1 << 52) - 1) == 0;
    if exact && (least..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(SpecError::new(name, "no rate factor of TM 4.0")
        .found(value)
        .allowed(format_args!("a power of two, 1/{} to 1", 1.0 / least)))
}

fn positive(name: &str, rate: CellRate) -> Result<f64, SpecError> {
    if rate.is_zero() {
        return Err(SpecError::new(name, "a rate at which nothing is ever sent")
            .found(format_args!("{:?} cells/s", <(u64, u64)>::from(rate)))
            .allowed("more than 0 cells/s"));
    }
    Ok(rate.per_second())
}

fn at_least_one(name: &str, value: u64) -> Result<u64, SpecError> {
    if value == 0 {
        return Err(SpecError::new(name, "it must be at least 1").found(0).allowed("1 or more"));
    }
    Ok(value)
}

impl Abr {
    /// Checks the parameters and completes them.
    ///
    /// # Errors
    /// For a parameter outside its range; paths are relative to the parameters.
    pub fn limits(&self, context: &AbrContext) -> Result<Limits, SpecError> {
        let line = context.line.cells().per_second();
        let pcr = self.pcr.map_or(Ok(line), |rate| positive("pcr", rate))?;
        let mcr = context.mcr.map_or(0.0, |rate| if rate.is_zero() { 0.0 } else { rate.per_second() });
        if mcr > pcr {
            return Err(SpecError::new("pcr", "the peak rate is less than the minimum rate of the VC")
                .found(format_args!("{pcr} cells/s"))
                .allowed(format_args!("at least its MCR, {mcr} cells/s")));
        }
        let icr = self.icr.map_or(Ok(pcr), |rate| positive("icr", rate))?;
        if !(mcr..=pcr).contains(&icr) {
            return Err(SpecError::new("icr", "the initial rate is not between MCR and PCR")
                .found(format_args!("{icr} cells/s"))
                .allowed(format_args!("{mcr} to {pcr} cells/s")));
        }
        if !(2..=256).contains(&self.nrm) || !self.nrm.is_power_of_two() {
            return Err(SpecError::new("nrm", "no number of cells for each FRM cell of TM 4.0")
                .found(self.nrm)
                .allowed("a power of two, 2 to 256"));
        }
        let longest = Duration::from_ms(10_230);
        if let Some(adtf) = self.adtf
            && !(Duration::from_ms(10)..=longest).contains(&adtf)
        {
            return Err(SpecError::new("adtf", "no time factor of TM 4.0")
                .found(format_args!("{} s", adtf.seconds()))
                .allowed("10 ms to 10.23 s, or null for never"));
        }
        let tbe = at_least_one("tbe", self.tbe.0)?;
        let crm = self.crm.map_or(tbe.div_ceil(u64::from(self.nrm)), u64::from);
        // The network stands ready for TBE cells in the first round trip (TM 4.0, 5.10.3.2).
        let exposure = tbe as f64 / self.frtt(context).seconds();
        Ok(Limits {
            pcr,
            mcr,
            icr: icr.min(exposure).max(mcr),
            rif: power_of_two("rif", self.rif.0, 1.0 / 32_768.0)?,
            rdf: power_of_two("rdf", self.rdf.0, 1.0 / 32_768.0)?,
            nrm: self.nrm,
            mrm: at_least_one("mrm", self.mrm.into())? as u32,
            trm: self.trm,
            adtf: self.adtf,
            cdf: if self.cdf.0 == 0.0 { 0.0 } else { power_of_two("cdf", self.cdf.0, 1.0 / 64.0)? },
            crm: u32::try_from(at_least_one("crm", crm)?).unwrap_or(u32::MAX),
            tcr: positive("tcr", self.tcr)?,
        })
    }

    fn frtt(&self, context: &AbrContext) -> Duration {
        self.frtt.unwrap_or(context.round_trip)
    }

    /// The source of this direction.
    ///
    /// # Errors
    /// As [`Abr::limits`], and for a use-it-or-lose-it policy that makes no sense.
    pub fn source(&self, context: &AbrContext) -> Result<Source, SpecError> {
        let limits = self.limits(context)?;
        let uili = self.uili.config().build(&UiliContext {
            limits,
            tbe: self.tbe.0 as f64,
            frtt: self.frtt(context).seconds(),
            slot: 1.0 / context.line.cells().per_second(),
        });
        Ok(Source::new(limits, self.encoded_rates, uili.map_err(|e| e.under("uili"))?))
    }

    /// The destination of this direction.
    ///
    /// # Errors
    /// For periods of congestion that make no sense.
    pub fn destination(&self) -> Result<Destination, SpecError> {
        Destination::new(self.overtaken, &self.congested)
    }
}
