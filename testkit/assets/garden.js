// A single-page application: routes by the history API, data from its own API. The server sends the same empty shell for every address.
const {html, render, useState, useEffect} = htmPreact;

function useData(address) {
  const [data, setData] = useState(null);
  useEffect(() => { fetch(address).then((answer) => answer.json()).then(setData); }, [address]);
  return data;
}

const Frame = ({children}) => html`
  <header><nav><a href="/">Garden</a><a href="/plants">Plants</a><a href="/growers">Growers</a><a href="/about">About</a></nav></header>
  <main>${children}</main>
  <footer><p>Seeds since 1911</p></footer>`;

const Home = () => html`<h1>The garden</h1><p>Plants and those who grow them.</p>`;
const About = () => html`<h1>About</h1><p>We have sold seeds for a long time, and answer letters on Mondays.</p>`;

function Plants({page}) {
  const data = useData(`/api/plants?page=${page}`);
  if (!data) return html`<p>Loading</p>`;
  return html`<h1>Plants</h1>
    <ul class="plants">${data.plants.map((plant) => html`<li><a href="/plants/${plant.slug}">${plant.name}</a></li>`)}</ul>
    <p class="pages">${Array.from({length: data.pages}, (_, at) => html`<a href="/plants?page=${at + 1}">${at + 1}</a>`)}</p>`;
}

function Plant({slug}) {
  const plant = useData(`/api/plants/${slug}`);
  if (!plant) return html`<p>Loading</p>`;
  return html`<article><h1>${plant.name}</h1>
    <table><tbody>
      <tr><th>Family</th><td>${plant.family}</td></tr>
      <tr><th>Height</th><td>${plant.height} cm</td></tr>
      <tr><th>Price</th><td>${plant.price} EUR</td></tr>
      <tr><th>Grower</th><td><a href="/growers/${plant.grower}">${plant.growerName}</a></td></tr>
    </tbody></table></article>`;
}

function Growers() {
  const growers = useData('/api/growers');
  if (!growers) return html`<p>Loading</p>`;
  return html`<h1>Growers</h1><ol>${growers.map((grower) => html`<li><a href="/growers/${grower.id}">${grower.name}</a></li>`)}</ol>`;
}

function Grower({id}) {
  const grower = useData(`/api/growers/${id}`);
  if (!grower) return html`<p>Loading</p>`;
  return html`<section><h2>${grower.name}</h2><p>Grows seeds in ${grower.town}.</p></section>`;
}

function view() {
  const [, first, second] = location.pathname.split('/');
  if (first === 'plants') return second ? html`<${Plant} slug=${second} />` : html`<${Plants} page=${new URLSearchParams(location.search).get('page') || 1} />`;
  if (first === 'growers') return second ? html`<${Grower} id=${second} />` : html`<${Growers} />`;
  return first === 'about' ? html`<${About} />` : html`<${Home} />`;
}

render(html`<${Frame}>${view()}<//>`, document.getElementById('app'));
