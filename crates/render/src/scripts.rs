//! What is asked of a page? Expressions, evaluated in a world of their own: scripts of the page can neither see nor change it.

/// Watches the document, and tells how it is: loaded or not, milliseconds since it last changed, elements.
pub const STATE: &str = "(() => {
  const own = globalThis;
  if (!own.watched) {
    own.watched = true;
    own.changed = performance.now();
    new MutationObserver(() => { own.changed = performance.now(); })
      .observe(document, {subtree: true, childList: true, characterData: true});
  }
  return [document.readyState === 'complete', performance.now() - own.changed, document.getElementsByTagName('*').length];
})()";

/// Goes on as a reader does who wants to see everything: to the end of the page, then by a button that shows more. What it did,
/// or nothing. A button of a form sends something, and is left alone.
pub const MORE: &str = r"(() => {
  const view = document.scrollingElement;
  globalThis.changed = performance.now();
  if (view && view.scrollTop + innerHeight + 1 < view.scrollHeight) {
    scrollTo(0, view.scrollHeight);
    return 'scrolled';
  }
  const words = new RegExp('^(?:' + [
    '(?:load|show|view|see) (?:\\d+ )?more', 'more (?:results|items|products|articles|entries)',
    'mehr (?:laden|anzeigen|zeigen)', 'weitere (?:\\S+ )?(?:laden|anzeigen)',
    '(?:afficher|voir|charger) (?:plus|davantage)', '(?:ver|mostrar|cargar) m\u00e1s', '(?:ver|mostrar|carregar) mais',
    '(?:mostra|carica|vedi) altr[oi]', 'meer (?:laden|tonen)', 'visa fler', 'poka\u017c wi\u0119cej', '\u0435\u0449\u0451', '\u043f\u043e\u043a\u0430\u0437\u0430\u0442\u044c \u0435\u0449\u0451',
    '\u3082\u3063\u3068\u898b\u308b', '\u52a0\u8f7d\u66f4\u591a', '\u66f4\u591a',
  ].join('|') + ')', 'i');
  const buttons = document.querySelectorAll('button, [role=button], a:not([href]), a[href^=\'#\']');
  for (const button of buttons) {
    const text = (button.textContent || '').trim();
    if (text.length < 60 && words.test(text) && !button.form && !button.disabled && button.getClientRects().length > 0) {
      button.click();
      return 'clicked';
    }
  }
  return '';
})()";

/// The document as HTML, or nothing when it is longer than it may.
pub fn document(most: usize) -> String {
    format!(
        "(() => {{
          const kind = document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>' : '';
          const text = kind + (document.documentElement ? document.documentElement.outerHTML : '');
          return text.length > {most} ? null : text;
        }})()"
    )
}
