//! Successors of a position in vectors of eight words (AVX-512).

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use fanorona_core::{Board, Direction, FirstStepCounts, Stones};

/// The most successors that are arranged together.
pub(super) const MOST: usize = 64;

/// The board as the vectors need it. There is one only if the processor has the instructions.
#[derive(Debug)]
pub(super) struct Wide {
    points: u64,
    /// How far a reversed word is shifted for a half turn.
    spare: i32,
    /// Pairs of ranks that a mirror exchanges: the points of the lower one, and the distance.
    rank_swaps: Vec<(i64, i32)>,
    /// By direction: the points with a link that way, and by how much a step rotates a set.
    links: [u64; 8],
    rotations: [u64; 8],
    /// The same for the opposite directions.
    back_links: [u64; 8],
    back_rotations: [u64; 8],
}

/// Sets of either side, in lanes.
type Pair = [__m512i; 2];

impl Wide {
    /// For a board with four symmetries whose sets leave room for a count of stones.
    pub(super) fn new(board: Board) -> Option<Self> {
        use std::arch::is_x86_feature_detected as has;
        let vectors = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("gfni");
        let is_fit = board.width() != board.height() && board.num_points() <= 58;
        if !vectors || !has!("avx512vpopcntdq") || !has!("popcnt") || !is_fit {
            return None;
        }
        let (width, height) = (i32::from(board.width()), i32::from(board.height()));
        let rotation = |direction: Direction| {
            let (files, ranks) = direction.delta();
            (ranks * width + files).rem_euclid(64) as u64
        };
        let links = Direction::ALL.map(|direction| board.linked(direction).bits());
        let lowest = (1_i64 << width) - 1;
        let swap = |rank: i32| (lowest << (rank * width), (height - 1 - 2 * rank) * width);
        Some(Self {
            points: board.all_points().bits(),
            spare: 64 - width * height,
            rank_swaps: (0..height / 2).map(swap).collect(),
            links,
            rotations: Direction::ALL.map(rotation),
            back_links: Direction::ALL.map(|to| links[to.opposite() as usize]),
            back_rotations: Direction::ALL.map(|to| rotation(to.opposite())),
        })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vpopcntdq,gfni,popcnt")]
    pub(super) fn arrange(&self, stones: &mut Vec<Stones>) {
        let (mut owns, mut opponents) = ([0; MOST], [0; MOST]);
        for (i, stones) in stones.iter().enumerate() {
            (owns[i], opponents[i]) = (stones.opponent.bits(), stones.own.bits());
        }
        // The number of stones comes first in the order.
        let mut ranked = [0; MOST];
        let vectors = stones.len().div_ceil(8);
        for v in 0..vectors {
            let [own, opponent] = self.canonical([load(&owns, v), load(&opponents, v)]);
            let counted = _mm512_slli_epi64::<58>(_mm512_popcnt_epi64(own));
            // Lanes without stones come last.
            let unused = !0 << (stones.len() - 8 * v).min(8);
            let last = _mm512_set1_epi64(-1);
            let key = _mm512_mask_mov_epi64(_mm512_or_si512(own, counted), unused as u8, last);
            store(&mut ranked, v, key);
            store(&mut owns, v, own);
            store(&mut opponents, v, opponent);
        }
        // The place of each is the number of those that come before it. Equal ones share a place.
        let (mut places, mut order) = (0_u64, [0_u8; MOST]);
        for i in 0..stones.len() {
            let one = _mm512_set1_epi64(ranked[i] as i64);
            let other = _mm512_set1_epi64(opponents[i] as i64);
            let mut place = 0;
            for v in 0..vectors {
                let (key, opponent) = (load(&ranked, v), load(&opponents, v));
                let equal = _mm512_cmpeq_epi64_mask(key, one);
                let before = _mm512_cmplt_epu64_mask(key, one)
                    | _mm512_mask_cmplt_epu64_mask(equal, opponent, other);
                place += before.count_ones();
            }
            places |= 1 << place;
            order[place as usize] = i as u8;
        }
        stones.clear();
        while places != 0 {
            let i = usize::from(order[places.trailing_zeros() as usize]) % MOST;
            stones.push(Stones::from_bits(owns[i], opponents[i]));
            places &= places - 1;
        }
    }

    /// The least images.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,gfni")]
    fn canonical(&self, sets: Pair) -> Pair {
        let [own, opponent] = sets;
        let mirrored = [self.mirror_ranks(own), self.mirror_ranks(opponent)];
        let turned = [self.half_turn(own), self.half_turn(opponent)];
        let other = [self.half_turn(mirrored[0]), self.half_turn(mirrored[1])];
        lesser(lesser(sets, mirrored), lesser(turned, other))
    }

    #[target_feature(enable = "avx512f,avx512dq")]
    fn mirror_ranks(&self, mut sets: __m512i) -> __m512i {
        for (lower, distance) in &self.rank_swaps {
            let distance = _mm_cvtsi32_si128(*distance);
            let differ = _mm512_xor_si512(sets, _mm512_srl_epi64(sets, distance));
            let differ = _mm512_and_si512(differ, _mm512_set1_epi64(*lower));
            let both = _mm512_xor_si512(differ, _mm512_sll_epi64(differ, distance));
            sets = _mm512_xor_si512(sets, both);
        }
        sets
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn half_turn(&self, sets: __m512i) -> __m512i {
        // Bits are reversed in bytes, and then bytes in words.
        let reversed = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
        let bytes = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
        let sets = _mm512_gf2p8affine_epi64_epi8::<0>(sets, reversed);
        let sets = _mm512_shuffle_epi8(sets, bytes);
        _mm512_srl_epi64(sets, _mm_cvtsi32_si128(self.spare))
    }

    /// Each lane is a direction.
    #[target_feature(enable = "avx512f,avx512dq,avx512vpopcntdq")]
    pub(super) fn first_steps(&self, stones: Stones) -> FirstStepCounts {
        let set = |set: u64| _mm512_set1_epi64(set as i64);
        let (links, rotations) = (load(&self.links, 0), load(&self.rotations, 0));
        let (back_links, back_rotations) =
            (load(&self.back_links, 0), load(&self.back_rotations, 0));
        let empty = set(self.points & !stones.occupied().bits());
        let (own, opponent) = (set(stones.own.bits()), set(stones.opponent.bits()));
        let ahead = _mm512_and_si512(opponent, links);
        let behind = _mm512_rolv_epi64(ahead, rotations);
        let beyond = _mm512_rolv_epi64(_mm512_and_si512(opponent, back_links), back_rotations);
        let towards = _mm512_and_si512(_mm512_and_si512(empty, beyond), back_links);
        let approach = _mm512_and_si512(own, _mm512_rolv_epi64(towards, back_rotations));
        let free = _mm512_rolv_epi64(_mm512_and_si512(empty, back_links), back_rotations);
        let movers = _mm512_and_si512(own, free);
        let withdrawal = _mm512_and_si512(movers, behind);
        let quiet = _mm512_andnot_si512(_mm512_or_si512(approach, withdrawal), movers);
        let captures =
            _mm512_add_epi64(_mm512_popcnt_epi64(approach), _mm512_popcnt_epi64(withdrawal));
        let paikas = _mm512_slli_epi64::<32>(_mm512_popcnt_epi64(quiet));
        let both = _mm512_reduce_add_epi64(_mm512_add_epi64(captures, paikas)) as u64;
        FirstStepCounts { captures: both as u32, paikas: (both >> 32) as u32 }
    }
}

/// Of two images in each lane the lesser one.
#[target_feature(enable = "avx512f,avx512dq")]
fn lesser(one: Pair, other: Pair) -> Pair {
    let equal = _mm512_cmpeq_epi64_mask(other[0], one[0]);
    let is_less = _mm512_cmplt_epu64_mask(other[0], one[0])
        | _mm512_mask_cmplt_epu64_mask(equal, other[1], one[1]);
    // A closure for both would not be compiled for the instructions.
    let own = _mm512_mask_mov_epi64(one[0], is_less, other[0]);
    [own, _mm512_mask_mov_epi64(one[1], is_less, other[1])]
}

/// A vector of a list.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &[u64], vector: usize) -> __m512i {
    let words = &words[8 * vector..8 * vector + 8];
    // SAFETY: there are eight words.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(words: &mut [u64], vector: usize, value: __m512i) {
    let words = &mut words[8 * vector..8 * vector + 8];
    // SAFETY: there is room for eight words.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), value) }
}
