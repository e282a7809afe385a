//! Do the screens of `pagekin serve` work, and only for the user? Over plain HTTP ([`guard`], [`remote`], [`work`], [`sites`], [`stranger`]) and in a real Chromium ([`browser`]).
//! What all need is in [`support`]; [`pictures`] makes those of the guide.

mod browser;
mod guard;
mod pictures;
mod remote;
mod sites;
mod stranger;
mod support;
mod work;
