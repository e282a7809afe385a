//! Do the screens of `pagekin serve` work, and only for the user? Over plain HTTP ([`guard`], [`work`], [`stranger`]) and in a real Chromium ([`browser`]).
//! What all need is in [`support`].

mod browser;
mod guard;
mod stranger;
mod support;
mod work;
