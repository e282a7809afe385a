//! Does asking for an address do something: log out, delete, buy, like? Address → yes or no, the same for every stage and method.
//!
//! - [`state_changing`]: by the words of the address, decoded. A word counts as a whole, never as a part of a title:
//!   `/deleted-scenes/` and `/follow-the-money` are pages like others.
//! - [`has_verb`]: is one of those words anywhere in it? Too little alone, a signal beside others.
//!
//! Three kinds of words, each in the languages that most sites are written in: those that are never the name of a page
//! ([`UNMISTAKABLE`], [`ALWAYS`]), those that say so when done to a thing with a number ([`TO_A_THING`]: `/buy/3`, `/items/3/like`, `?add=3`,
//! with [`THINGS`] `/delete-comment/12`), and names of parameters that name an action ([`NAMES_ACTION`], [`ROUTES`]). What somebody
//! looks for ([`SEARCHED`]) may be any word.

use percent_encoding::percent_decode_str;
use url::Url;

/// Nobody calls a page so, and nobody looks for it: found as the value of any parameter, too.
#[rustfmt::skip]
const UNMISTAKABLE: &[&str] = &[
    // English
    "logout", "log-out", "log_out", "logoff", "signout", "sign-out", "sign_out", "unsubscribe", "add-to-cart", "add_to_cart",
    "addtocart", "add-to-basket", "add_to_basket", "addtobasket", "add-to-wishlist", "add_to_wishlist", "wishlist-add",
    // Other languages
    "abmelden", "ausloggen", "in-den-warenkorb", "uitloggen", "deconnexion", "déconnexion", "se-deconnecter", "cerrar-sesion",
    "cerrar_sesion", "disconnetti", "wyloguj", "odhlasit", "odhlásit", "logga-ut", "loggaut", "log-ud", "logud",
    "kirjaudu-ulos", "ログアウト",
];

/// Nobody calls a page so.
#[rustfmt::skip]
const ALWAYS: &[&str] = &[
    // English
    "delete", "remove", "destroy", "subscribe", "checkout", "purge", "unfollow", "follow", "upvote", "downvote", "vote", "approve",
    "reject", "cancel", "unwatch", "unlike", "mark-read", "markread",
    // German, Dutch
    "austragen", "löschen", "loeschen", "entfernen", "stornieren", "kündigen", "kuendigen", "afmelden", "verwijderen", "opzeggen",
    // French, Spanish, Portuguese, Italian
    "supprimer", "desabonner", "désabonner", "eliminar", "borrar", "desconectar", "sair", "excluir", "remover", "esci",
    "elimina", "rimuovi", "cancella",
    // Polish, Czech, Russian, Turkish, Swedish, Finnish
    "usun", "usuń", "smazat", "vyhod", "выход", "выйти", "удалить", "udalit", "cikis", "çıkış", "sil", "ta-bort", "poista",
    // Chinese, Japanese
    "退出", "注销", "删除", "削除",
];

/// Words that name pages too (`/buy/` lists what is for sale), unless they stand beside the number of a thing.
#[rustfmt::skip]
const TO_A_THING: &[&str] = &[
    "buy", "purchase", "add", "like", "dislike", "favorite", "favourite", "bookmark", "share",
    "rate", "confirm", "accept", "decline", "send", "reply", "edit", "save", "submit", "publish", "activate",
    "deactivate", "enable", "disable", "ban", "hide", "restore", "reset", "increment", "decrement", "toggle",
    "kaufen", "bestellen", "hinzufügen", "hinzufuegen", "merken", "bestätigen", "bestaetigen", "melden", "kopen", "toevoegen",
    "acheter", "ajouter", "confirmer", "comprar", "anadir", "añadir", "agregar", "confirmar", "adicionar",
    "acquista", "aggiungi", "conferma", "kup", "dodaj", "koupit", "купить", "добавить", "kupit", "köp", "satin-al", "购买", "購入",
];

/// Things of which `add` is never the name of a page, with a number or without.
const TO_A_LIST: [(&str, &str); 9] = [
    ("basket", "add"),
    ("cart", "add"),
    ("wishlist", "add"),
    ("wishlists", "add"),
    ("list", "unsubscribe"),
    ("account", "delete"),
    ("session", "end"),
    ("user", "logout"),
    ("order", "confirm"),
];

/// What something is done to, where the word stands right behind the verb: `/delete-comment/12`, `/RemoveFromCart/5`.
#[rustfmt::skip]
const THINGS: &[&str] = &[
    "comment", "comments", "item", "items", "order", "post", "user", "account", "message", "photo", "picture", "image", "file", "me", "all",
    "subscription", "product", "topic", "thread", "reply", "review", "entry", "record", "row", "address", "card", "cart", "basket", "bag",
    "wishlist", "favorite", "favorites", "favourite", "favourites", "booking", "reservation", "friend", "vote", "alert", "confirm",
    "from", "to", "kommentar", "artikel", "benutzer", "konto",
];

/// Parameters whose value is what is to be done.
#[rustfmt::skip]
const NAMES_ACTION: &[&str] = &[
    "action", "act", "a", "do", "op", "operation", "task", "cmd", "command", "method", "mode", "event", "func", "function",
];

/// Parameters whose value leads to what is to be done: `?route=account/logout`.
const ROUTES: &[&str] = &["route", "r", "q", "path", "page", "view", "controller"];

/// Parameters whose value somebody looks for.
#[rustfmt::skip]
const SEARCHED: &[&str] = &[
    "q", "query", "s", "search", "k", "keyword", "keywords", "term", "tag", "tags", "text", "word", "words", "letter", "title", "name",
    "suche", "begriff",
];

/// What such a parameter may name besides.
const ACTIONS: [&str; 8] = ["export", "import", "upload", "create", "insert", "set", "login", "register"];

/// Does asking for this address look like doing something: logging out, deleting, adding to a basket?
pub fn state_changing(url: &Url) -> bool {
    // `/logout;jsessionid=1A2B`: what stands behind a `;` is no part of the name.
    let name = |segment: &str| {
        let decoded = percent_decode_str(segment).decode_utf8_lossy().into_owned();
        decoded.split(';').next().unwrap_or_default().to_owned()
    };
    let segments: Vec<String> = url.path().split('/').map(name).filter(|name| !name.is_empty()).collect();
    let numbered = url.query_pairs().any(|(_, value)| is_number(&value));
    in_path(&segments, numbered) || url.query_pairs().any(|(name, value)| in_parameter(&name, &value))
}

/// Is any word of the address one that says what is to be done?
pub fn has_verb(url: &Url) -> bool {
    let path = percent_decode_str(url.path()).decode_utf8_lossy().to_lowercase();
    let named = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
        let words = format!("{name} {value}").to_lowercase();
        words.split(|c: char| !c.is_alphanumeric()).any(is_verb)
    };
    path.split(|c: char| !c.is_alphanumeric()).any(is_verb) || url.query_pairs().any(named)
}

/// `numbered`: a parameter of the address is the number of a thing.
fn in_path(segments: &[String], numbered: bool) -> bool {
    let lower: Vec<String> = segments.iter().map(|segment| segment.to_lowercase()).collect();
    let always = lower.iter().any(|segment| is_always(stem(segment)));
    let listed = lower.windows(2).any(|two| TO_A_LIST.contains(&(two[0].as_str(), stem(&two[1]))));
    let done = |word: &str, thing: &str| is_done_to_a_thing(stem(word)) && is_number(thing);
    let to_a_thing = lower.windows(2).any(|two| done(&two[0], &two[1]) || done(&two[1], &two[0]));
    let beside = |at: usize| {
        numbered || [at.wrapping_sub(1), at + 1].iter().any(|&at| lower.get(at).is_some_and(|s| is_number(s)))
    };
    always || listed || to_a_thing || segments.iter().enumerate().any(|(at, segment)| calls(segment, beside(at)))
}

/// `buy`, `delete-comment`, `add-to-compare`: a title goes on, as `remove-rust-stains` does.
fn is_done_to_a_thing(word: &str) -> bool {
    let words: Vec<&str> = word.split(['-', '_']).collect();
    match words.as_slice() {
        _ if TO_A_THING.contains(&word) => true,
        [verb, thing] => is_verb(verb) && THINGS.contains(thing),
        ["add", "to", _] | ["remove", "from", _] => true,
        _ => false,
    }
}

/// `deleteItem`, `addToCart.do`: a function, as programs write their names. `DeleteItem` may be a title, unless it has the number of a
/// thing beside it.
fn calls(segment: &str, numbered: bool) -> bool {
    let name = stem(segment);
    if !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return false;
    }
    let capitals: Vec<usize> = name.match_indices(|c: char| c.is_ascii_uppercase()).map(|(at, _)| at).collect();
    match capitals.as_slice() {
        [0, second, rest @ ..] if numbered => {
            let end = rest.first().map_or(name.len(), |end| *end);
            let thing = name[*second..end].to_lowercase();
            is_verb(&name[..*second].to_lowercase()) && THINGS.contains(&thing.as_str())
        }
        [0, ..] | [] => false,
        [first, ..] => is_verb(&name[..*first]),
    }
}

fn in_parameter(name: &str, value: &str) -> bool {
    let (name, value) = (name.to_lowercase(), value.to_lowercase());
    let first = |text: &str| text.split(['_', '-']).next().unwrap_or("").to_owned();
    let plain = name.trim_matches(|c: char| !c.is_alphanumeric());
    let named = is_always(&name) || UNMISTAKABLE.contains(&value.as_str()) && !SEARCHED.contains(&plain);
    let acts = NAMES_ACTION.contains(&plain) && (is_verb(&first(&value)) || ACTIONS.contains(&first(&value).as_str()));
    // `remove_item=5`, `add=3`: what is done, and to what.
    let done = is_verb(&first(plain)) && (plain.contains('_') && is_always(&first(plain)) || is_number(&value));
    named || acts || done || routed(plain, &value)
}

/// `account/logout`, `user.logout`: the last word of a way through a program.
fn routed(name: &str, value: &str) -> bool {
    let leads = value.contains(['/', '.']) && !value.contains("://") && !value.contains(char::is_whitespace);
    let last = value.rsplit(['/', '.']).next().unwrap_or("");
    let acts = NAMES_ACTION.contains(&name) || ROUTES.contains(&name);
    leads && (UNMISTAKABLE.contains(&last) || acts && is_always(last))
}

fn is_always(word: &str) -> bool {
    UNMISTAKABLE.contains(&word) || ALWAYS.contains(&word)
}

fn is_verb(word: &str) -> bool {
    is_always(word) || TO_A_THING.contains(&word)
}

/// The number of a thing, in digits or as a long hexadecimal one.
fn is_number(text: &str) -> bool {
    let digits = text.len() < 20 && text.bytes().all(|byte| byte.is_ascii_digit());
    let long = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    !text.is_empty() && (digits || long)
}

/// `logout.php` acts as `logout` does; `delete.html` is an article about deleting.
fn stem(segment: &str) -> &str {
    match segment.split_once('.') {
        Some((name, "php" | "asp" | "aspx" | "jsp" | "do" | "cgi" | "pl" | "action")) => name,
        _ => segment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> bool {
        state_changing(&Url::parse("http://s/").unwrap().join(text).unwrap())
    }

    #[test]
    fn what_does_something_is_known_by_whole_words() {
        for bad in [
            "/logout",
            "/user/logout.php",
            "/log%6Fut",
            "/abmelden",
            "/konto/l%C3%B6schen",
            "/basket/add/5/",
            "/buy/3",
            "/items/3/like",
            "/items/0f8fad5b-d9cb-469f-a165-70867728950e/like",
            "/order/confirm/3",
            "/deleteItem?id=3",
            "/cart/addToCart.do",
            "/posts/3/delete/",
            "/cart?add=3",
            "?action=delete&id=4",
            "?@action=export_csv",
            "?remove_item=5",
            "?remove_item=",
            "?add-to-cart=99",
            "/newsletter/unsubscribe?u=1",
            "/logout;jsessionid=1A2B",
            "/delete-comment/12",
            "/remove_item/5",
            "/cancel-order/7",
            "/unsubscribe-me/3",
            "/DeleteItem?id=3",
            "/RemoveFromCart/5",
            "/index.php?route=account/logout",
            "/index.php?option=com_users&task=user.logout",
            "/cart/add-item/3",
            "/add-to-compare/3",
            "/?action=remove&item=7",
            "/index.php?route=checkout/cart/remove&key=4",
            "/comment/12/delete-confirm",
            "/deleteItem;jsessionid=7?id=3",
        ] {
            assert!(changes(bad), "{bad}");
        }
    }

    #[test]
    fn titles_and_lists_are_pages() {
        for good in [
            "/deleted-scenes/",
            "/D/delete.html",
            "/sql-delete.html",
            "/wiki/Delete_key",
            "/wiki/DeleteKey",
            "/follow-the-money",
            "/basket/",
            "/votes-2014/",
            "/catalogue/add-ons_5/",
            "/item?id=5",
            "/buy/flats",
            "/order/",
            "/report/2014",
            "/archive/2014",
            "/block/123",
            "/?order=price&sort=2",
            "/?do=view&id=5",
            "/?action=show",
            "/?share=facebook",
            "/edit-distance/5",
            "/?q=cancel",
            "/?tag=follow",
            "/?letter=sil",
            "/search?q=remove",
            "/search?q=add+to+cart",
            "/post/",
            "/track/",
            "/question/",
            "/post/12",
            "/track/7",
            "/follow-up/3",
            "/cancel-culture/2",
            "/?genre=follow",
            "/index.php?route=checkout/cart",
            "/follow-the-money/5",
            "/vote-2014/3",
            "/remove-rust-stains/12",
            "/products/cancel-the-noise-headphones/7",
            "/edit-distance/12",
            "/like-a-virgin/3",
            "/index.php?route=product/category&path=20",
            "/index.php?option=com_content&view=article&id=3",
            "/?page=2;sort=name",
        ] {
            assert!(!changes(good), "{good}");
        }
    }
}
